CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('0015');
CREATE TABLE accounts (
  id SERIAL NOT NULL,
  name VARCHAR NOT NULL,
  plan VARCHAR NOT NULL,
  datetime_format VARCHAR DEFAULT 'iso' NOT NULL,
  anchor_day INTEGER DEFAULT '1' NOT NULL,
  suspended BOOLEAN DEFAULT false NOT NULL,
  created_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  deleted_at TIMESTAMP WITHOUT TIME ZONE,
  email VARCHAR DEFAULT '' NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX accounts_by_name ON accounts (name) WHERE deleted_at IS NULL;
CREATE TABLE plan_versions (
  id SERIAL NOT NULL,
  content VARCHAR NOT NULL,
  node VARCHAR NOT NULL,
  activated_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE receipts (
  id SERIAL NOT NULL,
  source VARCHAR NOT NULL,
  received_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  origin VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  added INTEGER NOT NULL,
  corrected INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX receipts_of_source ON receipts (source, origin);
CREATE TABLE series (
  id SERIAL NOT NULL,
  source VARCHAR NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL,
  unit VARCHAR DEFAULT '' NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (source, base, quote)
);
CREATE TABLE bar_series (
  id SERIAL NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL,
  interval VARCHAR NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (base, quote, interval)
);
CREATE TABLE quarantine (
  id SERIAL NOT NULL,
  source VARCHAR NOT NULL,
  base VARCHAR NOT NULL,
  quote VARCHAR NOT NULL,
  unit VARCHAR NOT NULL,
  day DATE NOT NULL,
  nominal BIGINT NOT NULL,
  value VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  received_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  origin VARCHAR NOT NULL,
  state VARCHAR DEFAULT 'waiting' NOT NULL,
  decided_at TIMESTAMP WITHOUT TIME ZONE,
  PRIMARY KEY (id),
  UNIQUE (source, base, quote, unit, day, nominal, value)
);
CREATE TABLE verdicts (
  id SERIAL NOT NULL,
  rules VARCHAR NOT NULL,
  code VARCHAR NOT NULL,
  day INTEGER NOT NULL,
  outcome VARCHAR NOT NULL,
  receipt INTEGER NOT NULL,
  PRIMARY KEY (id)
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
  id SERIAL NOT NULL,
  code VARCHAR NOT NULL,
  first_day INTEGER NOT NULL,
  last_day INTEGER,
  level VARCHAR NOT NULL,
  accepts BOOLEAN NOT NULL,
  reason VARCHAR NOT NULL,
  takes_back INTEGER,
  made_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX decisions_by_code ON decisions (code);
CREATE TABLE editions (
  id SERIAL NOT NULL,
  name VARCHAR NOT NULL,
  receipt INTEGER NOT NULL,
  rules VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  last_rows VARCHAR NOT NULL,
  recorded_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  last_verdict INTEGER,
  PRIMARY KEY (id)
);
CREATE INDEX editions_by_name ON editions (name);
CREATE INDEX editions_by_receipt ON editions (receipt);
CREATE TABLE rule_texts (
  digest VARCHAR NOT NULL,
  content BYTEA NOT NULL,
  recorded_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (digest)
);
CREATE TABLE leadership (
  epoch BIGINT NOT NULL,
  node VARCHAR NOT NULL,
  holder VARCHAR NOT NULL,
  taken_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  expires_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (epoch)
);
CREATE TABLE nodes (
  name VARCHAR NOT NULL,
  instance VARCHAR NOT NULL,
  roles VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  started_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  seen_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE signing_keys (
  id SERIAL NOT NULL,
  kid VARCHAR NOT NULL,
  public_key VARCHAR NOT NULL,
  node VARCHAR NOT NULL,
  created_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (kid)
);
CREATE TABLE log_checkpoints (
  size BIGINT NOT NULL,
  note VARCHAR NOT NULL,
  signed_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (size)
);
CREATE TABLE schema_releases (
  schema VARCHAR NOT NULL,
  release VARCHAR NOT NULL,
  migrated_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (schema)
);
CREATE TABLE api_keys (
  id SERIAL NOT NULL,
  digest BYTEA NOT NULL,
  account_id INTEGER NOT NULL,
  name VARCHAR DEFAULT '' NOT NULL,
  prefix VARCHAR NOT NULL,
  created_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  expires_at TIMESTAMP WITHOUT TIME ZONE,
  revoked_at TIMESTAMP WITHOUT TIME ZONE,
  last_used_at TIMESTAMP WITHOUT TIME ZONE,
  PRIMARY KEY (id),
  UNIQUE (digest),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX api_keys_of_account ON api_keys (account_id);
CREATE TABLE account_changes (
  id SERIAL NOT NULL,
  account_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE bought_calls (
  id SERIAL NOT NULL,
  account_id INTEGER NOT NULL,
  period_start DATE NOT NULL,
  calls BIGINT NOT NULL,
  bought_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX bought_calls_of_account ON bought_calls (account_id);
CREATE TABLE usage (
  day DATE NOT NULL,
  page BIGINT NOT NULL,
  account_id INTEGER NOT NULL,
  endpoint VARCHAR NOT NULL,
  calls BIGINT NOT NULL,
  node VARCHAR DEFAULT '' NOT NULL,
  checksum BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (day, page, account_id, endpoint),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX usage_of_account ON usage (account_id, day);
CREATE TABLE quota_leases (
  account_id INTEGER NOT NULL,
  period_start DATE NOT NULL,
  node VARCHAR NOT NULL,
  granted BIGINT NOT NULL,
  PRIMARY KEY (account_id, period_start, node),
  FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE fixings (
  series_id INTEGER NOT NULL,
  day DATE NOT NULL,
  receipt_id INTEGER NOT NULL,
  nominal BIGINT NOT NULL,
  value VARCHAR NOT NULL,
  published_at TIMESTAMP WITHOUT TIME ZONE,
  checksum BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (series_id, day, receipt_id),
  FOREIGN KEY(series_id) REFERENCES series (id),
  FOREIGN KEY(receipt_id) REFERENCES receipts (id)
);
CREATE TABLE bars (
  series_id INTEGER NOT NULL,
  start BIGINT NOT NULL,
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
);
CREATE TABLE quarantine_decisions (
  id SERIAL NOT NULL,
  quarantine_id INTEGER NOT NULL,
  state VARCHAR NOT NULL,
  decided_at TIMESTAMP WITHOUT TIME ZONE NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(quarantine_id) REFERENCES quarantine (id)
);
CREATE INDEX decisions_of_quarantine ON quarantine_decisions (quarantine_id);
