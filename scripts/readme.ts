// Writes the README's tables from what they describe: action.yml and the settings of the service.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type SettingName, settings } from "../src/service/settings/config.ts";
import { readManifestSection } from "../test/support/action-manifest.ts";

const README = join(dirname(fileURLToPath(import.meta.url)), "../README.md");

/** `fallback`: what it is when nobody says, where the value alone would not tell, or hangs on the machine. */
type Prose = { readonly description: string; readonly fallback?: string };

const settingProse: Record<SettingName, Prose> = {
  HOST: { description: "Address to listen on; `0.0.0.0` is every one." },
  PORT: { description: "Port to listen on; 0 takes a free one." },
  BASE_URL: {
    description: "Where jobs reach the service. Set it behind a proxy: the audience hangs on it.",
    fallback: "where it listens",
  },
  WEB_URL: { description: "Where claim links lead.", fallback: "`BASE_URL`" },
  DATA_DIR: { description: "Folder of the embedded store, and of the checkouts of runs at work." },
  DATABASE_URL: {
    description: "PostgreSQL in the place of the embedded store.",
    fallback: "the embedded store",
  },
  ROLE: {
    description:
      "What this node does, where several share `DATABASE_URL`: `api` answers, `worker` carries runs out (as `agent-service work`).",
  },
  STALLED_SECONDS: {
    description: "With `DATABASE_URL`: a run whose worker is silent for so long ends as `stalled`, refunded.",
  },
  LOG_LEVEL: { description: "How much goes to standard output, as JSON lines." },
  CI_AUDIENCE: { description: "What ID tokens must be made for.", fallback: "the host of `BASE_URL`" },
  CI_FREE_CREDITS: { description: "Free credits of each repository owner a month (UTC). A run costs one." },
  CI_CAPABILITY_SECONDS: { description: "How long a capability lives." },
  CI_RATE_PER_MINUTE: { description: "Exchanges a minute that one address may ask for." },
  RATE_PER_MINUTE: {
    description: "Requests a minute of one account, or of the jobs of one repository; see [Limits](#limits).",
  },
  ADDRESS_RATE_PER_MINUTE: {
    description:
      "Requests a minute from one address without a credential that is good; see [Limits](#limits).",
  },
  MAX_SOCKETS: { description: "Sockets that one account, or the jobs of one repository, may have open." },
  TRUSTED_PROXY_HOPS: {
    description: "Your proxies in front: so many entries of `X-Forwarded-For` are believed.",
  },
  BACKEND: {
    description:
      "What carries runs out: `model` asks a [model](#models), `offline` writes a briefing without one, `noop` does nothing, for load tests.",
  },
  MAX_RUNNING_RUNS: {
    description: "Runs at work at a time.",
    fallback: "one a processor, at least 4",
  },
  MAX_QUEUED_RUNS: { description: "Runs that may wait. Beyond it a submission is answered 429." },
  DRAIN_SECONDS: { description: "What runs at work are given to end when the service is told to stop." },
  RETENTION_DAYS: {
    description:
      "Days after a run's end until its messages and events are deleted; 0 keeps them. Its record and the ledger stay.",
  },
  METRICS: {
    description:
      "Whether `GET /metrics` answers a Prometheus scraper. Let your proxy keep strangers from it.",
  },
  RATES_FILE: {
    description: "What things cost and what plans may; see [Rates](#rates).",
    fallback: "built in: a run costs one credit",
  },
};

/** Read beside the others, as it is JSON. */
const issuersRow = [
  "`CI_ISSUERS`",
  "Whose ID tokens are believed, and where their repositories are cloned from; see [Issuers](#issuers).",
  "a JSON list of issuers",
  "GitHub's public issuer",
];

/** The README with every table as it should be. Throws when a table's markers are missing. */
export function withTables(readme: string): string {
  const tables = { inputs: inputsTable(), outputs: outputsTable(), settings: settingsTable() };
  return Object.entries(tables).reduce((text, [name, table]) => replaceTable(text, { name, table }), readme);
}

export function readReadme(): string {
  return readFileSync(README, "utf8").replaceAll("\r\n", "\n");
}

function inputsTable(): string {
  const rows = Object.entries(readManifestSection("inputs")).map(([name, field]) => {
    const fallback = field.required ? "**required**" : codeOrNothing(field.default ?? "");
    return [`\`${name}\``, field.description, fallback];
  });
  return table(["Input", "What it is", "Default"], rows);
}

function outputsTable(): string {
  const fields = Object.entries(readManifestSection("outputs"));
  return table(
    ["Output", "What it is"],
    fields.map(([name, field]) => [`\`${name}\``, field.description]),
  );
}

function settingsTable(): string {
  const names = Object.keys(settingProse) as SettingName[];
  const rows = names.map((name) => {
    const { allowed, fallback } = settings[name];
    const prose = settingProse[name];
    return [`\`${name}\``, prose.description, allowed, prose.fallback ?? codeOrNothing(String(fallback))];
  });
  return table(["Setting", "What it is", "Allowed", "Default"], [...rows, issuersRow]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function codeOrNothing(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

function replaceTable(readme: string, { name, table }: { name: string; table: string }): string {
  const start = `<!-- ${name}: written by npm run readme -->`;
  const end = `<!-- /${name} -->`;
  const [before, rest, ...more] = readme.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`README.md needs one table between ${start} and ${end}.`);
  }
  return `${before}${start}\n${table}\n${end}${after}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, withTables(readReadme()));
