/** What is wrong with the service, from one overview. Pure. */

/** @typedef {{level: "bad" | "warn", text: string, link?: [string, string]}} Finding */

const LOW_DISK = 0.1;

/** Over a long weekend no currency is traded or fixed for four days. */
const LONGEST_PAUSE = 4 * 86_400_000;

/**
 * Return the verdict in one line, and the findings behind it, the worst first.
 *
 * @returns {{level: "good" | "warn" | "bad", headline: string, findings: Finding[]}}
 */
export function verdict(overview) {
  const findings = [...problems(overview), ...processes(overview), ...sources(overview), ...others(overview)];
  findings.sort((one, other) => (one.level === other.level ? 0 : one.level === "bad" ? -1 : 1));
  const bad = findings.filter((each) => each.level === "bad").length;
  if (!overview.ready || bad) {
    return { level: "bad", headline: `${plural(Math.max(bad, 1), "problem")} to solve`, findings };
  }
  if (findings.length) {
    return { level: "warn", headline: `It works. ${plural(findings.length, "thing")} to look at`, findings };
  }
  return { level: "good", headline: "Everything works", findings };
}

function problems(overview) {
  return (overview.problems ?? []).map((text) => ({ level: "bad", text: sentence(text), link: [`#/runbook?kind=${kindOf(text)}`, "What to do"] }));
}

/** The section of the runbook about what is wrong with the service. */
function kindOf(text) {
  if (text.startsWith("ingest")) return "ingest";
  if (/\b(source|network)/.test(text)) return "network";
  return /^(the cluster|Redis|PostgreSQL|the rate matrix|no node)/.test(text) ? "node" : "process";
}

/** The processes that do not work, but for those whose problem is among the others already. */
function processes(overview) {
  const isTold = ({ name, note }) => (overview.problems ?? []).some((text) => text.includes(note) || text.startsWith(name));
  const stopped = (overview.processes ?? []).filter((each) => !each.working && !isTold(each));
  return stopped.map((each) => ({ level: "bad", text: `The process ${each.name} does not work: ${each.note}`, link: ["#/runbook?kind=process", "What to do"] }));
}

function sources({ sources: counts }) {
  if (!counts) return [];
  const found = [];
  if (counts.failing) found.push(aboutSources(counts.failing, "cannot be read", "failing"));
  if (counts.held) found.push(aboutSources(counts.held, "with no newest fixing that is believed", "held"));
  if (counts.late) found.push(aboutSources(counts.late, counts.late === 1 ? "is late" : "are late", "late"));
  return found;
}

function aboutSources(number, state, condition) {
  return {
    level: "warn",
    text: `${plural(number, "source")} ${state}`,
    link: [`#/sources?condition=${condition}`, "See which"],
  };
}

function others(overview) {
  const found = [];
  const open = overview.disputes_open ?? 0;
  if (open) {
    const text = `Sources disagree about ${plural(open, "code")}`;
    found.push({ level: "warn", text, link: ["#/disputes", "Decide"] });
  }
  const newest = overview.book?.newest_at;
  if (newest && new Date(overview.at) - new Date(newest) > LONGEST_PAUSE) {
    found.push({ level: "warn", text: `The newest rate is of ${newest.slice(0, 10)}: no source has delivered a newer one`, link: ["#/sources", "See the sources"] });
  }
  found.push(...quotas(overview.quotas));
  const disk = overview.disk;
  if (disk?.total_bytes && disk.free_bytes < LOW_DISK * disk.total_bytes) {
    const percent = Math.floor((100 * disk.free_bytes) / disk.total_bytes);
    found.push({ level: "warn", text: `Only ${percent} % of the disk is free`, link: ["#/runbook?kind=disk", "What to do"] });
  }
  return found;
}

/** The accounts that have used up their quotas, or nearly. */
function quotas(counts) {
  const { over = 0, near = 0 } = counts ?? {};
  const found = [];
  if (over) found.push({ level: "warn", text: `${plural(over, "account")} over the quota: ${over === 1 ? "its" : "their"} calls are refused`, link: ["#/accounts?state=over&order=calls", "See which"] });
  if (near) found.push({ level: "warn", text: `${plural(near, "account")} with 80 % of the quota used or more`, link: ["#/accounts?state=near&order=quota", "See which"] });
  return found;
}

/** Return a number with its noun: "1 source", "2 sources". */
export function plural(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Return a size such as "84 MB". */
export function bytes(size) {
  if (size === null || size === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [size, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toPrecision(2)} ${units[unit]}`;
}
