CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('0015');
CREATE TABLE receipts (
  id INTEGER NOT NULL,
  source VARCHAR NOT NULL,
  received_at DATETIME NOT NULL,
  origin VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  added INTEGER NOT NULL,
  corrected INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX receipts_of_source ON receipts (source, origin);
CREATE TABLE series (
  id INTEGER NOT NULL,
  source VARCHAR NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL, unit VARCHAR DEFAULT '' NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (source, base, quote)
);
CREATE TABLE fixings (
  series_id INTEGER NOT NULL,
  day DATE NOT NULL,
  receipt_id INTEGER NOT NULL,
  nominal INTEGER NOT NULL,
  value VARCHAR NOT NULL, published_at DATETIME, checksum INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (series_id, day, receipt_id),
  FOREIGN KEY(series_id) REFERENCES series (id),
  FOREIGN KEY(receipt_id) REFERENCES receipts (id)
) WITHOUT ROWID;
CREATE TABLE accounts (
  id INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  "plan" VARCHAR NOT NULL,
  datetime_format VARCHAR DEFAULT 'iso' NOT NULL,
  anchor_day INTEGER DEFAULT '1' NOT NULL,
  suspended BOOLEAN DEFAULT 0 NOT NULL,
  created_at DATETIME NOT NULL,
  deleted_at DATETIME, email VARCHAR DEFAULT '' NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX accounts_by_name ON accounts (name) WHERE deleted_at IS NULL;
CREATE TABLE api_keys (
  id INTEGER NOT NULL,
  digest BLOB NOT NULL,
  account_id INTEGER NOT NULL,
  name VARCHAR DEFAULT '' NOT NULL,
  prefix VARCHAR NOT NULL,
  created_at DATETIME NOT NULL,
  expires_at DATETIME,
  revoked_at DATETIME,
  last_used_at DATETIME,
  PRIMARY KEY (id),
  UNIQUE (digest),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX api_keys_of_account ON api_keys (account_id);
CREATE TABLE bought_calls (
  id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  period_start DATE NOT NULL,
  calls INTEGER NOT NULL,
  bought_at DATETIME NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX bought_calls_of_account ON bought_calls (account_id);
CREATE TABLE usage (
  day DATE NOT NULL,
  page INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  endpoint VARCHAR NOT NULL,
  calls INTEGER NOT NULL, node VARCHAR DEFAULT '' NOT NULL, checksum INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (day, page, account_id, endpoint),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
) WITHOUT ROWID;
CREATE TABLE bar_series (
  id INTEGER NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL,
  interval VARCHAR NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (base, quote, interval)
);
CREATE TABLE bars (
  series_id INTEGER NOT NULL,
  start INTEGER NOT NULL,
  bid_o VARCHAR NOT NULL,
  bid_h VARCHAR NOT NULL,
  bid_l VARCHAR NOT NULL,
  bid_c VARCHAR NOT NULL,
  ask_o VARCHAR NOT NULL,
  ask_h VARCHAR NOT NULL,
  ask_l VARCHAR NOT NULL,
  ask_c VARCHAR NOT NULL,
  PRIMARY KEY (series_id, start),
  FOREIGN KEY(series_id) REFERENCES bar_series (id)
) WITHOUT ROWID;
CREATE TABLE quarantine (
  id INTEGER NOT NULL,
  source VARCHAR NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL,
  unit VARCHAR NOT NULL,
  day DATE NOT NULL,
  nominal INTEGER NOT NULL,
  value VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  received_at DATETIME NOT NULL,
  origin VARCHAR NOT NULL,
  state VARCHAR DEFAULT 'waiting' NOT NULL,
  decided_at DATETIME,
  PRIMARY KEY (id),
  UNIQUE (source, base, quote, unit, day, nominal, value)
);
CREATE TABLE account_changes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX usage_of_account ON usage (account_id, day);
CREATE TABLE leadership (
  epoch INTEGER NOT NULL,
  node VARCHAR NOT NULL,
  holder VARCHAR NOT NULL,
  taken_at DATETIME NOT NULL,
  expires_at DATETIME NOT NULL,
  PRIMARY KEY (epoch)
);
CREATE TABLE nodes (
  name VARCHAR NOT NULL,
  instance VARCHAR NOT NULL,
  roles VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  started_at DATETIME NOT NULL,
  seen_at DATETIME NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE quota_leases (
  account_id INTEGER NOT NULL,
  period_start DATE NOT NULL,
  node VARCHAR NOT NULL,
  granted INTEGER NOT NULL,
  PRIMARY KEY (account_id, period_start, node),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE plan_versions (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  content VARCHAR NOT NULL,
  node VARCHAR NOT NULL,
  activated_at DATETIME NOT NULL
);
CREATE TABLE editions (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name VARCHAR NOT NULL,
  receipt INTEGER NOT NULL,
  rules VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  last_rows VARCHAR NOT NULL,
  recorded_at DATETIME NOT NULL
, last_verdict INTEGER);
CREATE INDEX editions_by_name ON editions (name);
CREATE INDEX editions_by_receipt ON editions (receipt);
CREATE TABLE rule_texts (
  digest VARCHAR NOT NULL,
  content BLOB NOT NULL,
  recorded_at DATETIME NOT NULL,
  PRIMARY KEY (digest)
);
CREATE TABLE quarantine_decisions (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  quarantine_id INTEGER NOT NULL,
  state VARCHAR NOT NULL,
  decided_at DATETIME NOT NULL,
  FOREIGN KEY(quarantine_id) REFERENCES quarantine (id)
);
CREATE INDEX decisions_of_quarantine ON quarantine_decisions (quarantine_id);
CREATE TABLE signing_keys (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  kid VARCHAR NOT NULL,
  public_key VARCHAR NOT NULL,
  node VARCHAR NOT NULL,
  created_at DATETIME NOT NULL,
  UNIQUE (kid)
);
CREATE TABLE log_checkpoints (
  size INTEGER NOT NULL,
  note VARCHAR NOT NULL,
  signed_at DATETIME NOT NULL,
  PRIMARY KEY (size)
);
CREATE TABLE schema_releases (
  schema VARCHAR NOT NULL,
  release VARCHAR NOT NULL,
  migrated_at DATETIME NOT NULL,
  PRIMARY KEY (schema)
);
CREATE TABLE verdicts (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  rules VARCHAR NOT NULL,
  code VARCHAR NOT NULL,
  day INTEGER NOT NULL,
  outcome VARCHAR NOT NULL,
  receipt INTEGER NOT NULL
);
CREATE INDEX verdicts_by_code ON verdicts (rules, code, day);
CREATE TABLE judged (
  rules VARCHAR NOT NULL,
  receipt INTEGER NOT NULL,
  last INTEGER NOT NULL,
  decision INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (rules)
);
CREATE TABLE decisions (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  code VARCHAR NOT NULL,
  first_day INTEGER NOT NULL,
  last_day INTEGER,
  level VARCHAR NOT NULL,
  accepts BOOLEAN NOT NULL,
  reason VARCHAR NOT NULL,
  takes_back INTEGER,
  made_at DATETIME NOT NULL
);
CREATE INDEX decisions_by_code ON decisions (code);
