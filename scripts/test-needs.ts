// Needs of tests beside `npm ci`. Each need is a tag: a test that has it is skipped on a machine that lacks it, and the
// run says so at its end. One list for vitest.config.ts, scripts/check.ts and the closing line.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type CodingAgentName, codingAgentNames, codingAgents } from "../src/contract/ci/coding-agents.ts";
import { postgresBinaries } from "./postgres-cluster.ts";

export type Need = {
  readonly what: string;
  /** How to get it. Null where it is the machine's kind: nothing can be installed. */
  readonly install: string | null;
  readonly isMet: () => boolean;
};

const SANDBOX = "--unshare-all --unshare-user --disable-userns --ro-bind / / --proc /proc true";
/** A server of ssh. It has to be named by its whole path, as `SSHD` does where it is elsewhere. */
export const sshdPath: string = process.env.SSHD ?? "/usr/sbin/sshd";
/** The last commit on main whose clients know no parked runs. */
export const LAST_WITHOUT_PARKING = "4522b347aac59fc298e08c2dcc66917e61049993";
/** Where npm has installed the programs of this coding agent. */
export function codingAgentBin(name: CodingAgentName): string {
  return join(
    resolve(process.env.CODING_AGENTS ?? ""),
    name,
    "node_modules/.bin",
    codingAgents[name].program,
  );
}
/** Where the tests of pages find their browser. The shell takes a quarter of the processor time: it draws no windows. */
export const chromiumPath: string =
  process.env.CHROMIUM ??
  (existsSync("/usr/bin/chromium-headless-shell") ? "/usr/bin/chromium-headless-shell" : "/usr/bin/chromium");

export const needs = {
  // Why: docs/decisions/193-postgresql-where-sql-differs.md
  postgres: {
    what: "PostgreSQL at TEST_DATABASE_URL",
    install: "start one and set TEST_DATABASE_URL",
    isMet: () => process.env.TEST_DATABASE_URL !== undefined,
  },
  "postgres-programs": {
    what: "PostgreSQL's initdb and pg_ctl",
    install: "install postgresql, or set POSTGRES_BINARIES",
    isMet: () => postgresBinaries !== undefined,
  },
  sandbox: {
    what: "a sandbox by bubblewrap",
    install: "install bubblewrap, and allow user namespaces",
    isMet: () => works("bwrap", SANDBOX.split(" ")),
  },
  chromium: {
    what: "Chromium",
    install: "install chromium-headless-shell or chromium, or set CHROMIUM",
    isMet: () => existsSync(chromiumPath),
  },
  ssh: {
    what: "OpenSSH with its server",
    install: "install openssh-server, or set SSHD",
    isMet: () => existsSync(sshdPath) && works("ssh", ["-V"]),
  },
  jq: { what: "jq", install: "install jq", isMet: () => works("jq", ["--version"]) },
  openssl: { what: "openssl", install: "install openssl", isMet: () => works("openssl", ["version"]) },
  npm: {
    what: "npm of the machine",
    install: "install npm at /usr/bin/npm",
    isMet: () => works("/usr/bin/npm", ["--version"]),
  },
  pip: {
    what: "pip of the machine",
    install: "install python3-pip and python3-venv",
    isMet: () => works("/usr/bin/python3", ["-m", "pip", "--version"]),
  },
  "pip-python": {
    what: "a pip that takes --python",
    install: "install python3-pip of Debian 12 or newer",
    isMet: () => works("/usr/bin/python3", ["-m", "pip", "--python", "/usr/bin/python3", "--version"]),
  },
  history: {
    what: `the project's history back to ${LAST_WITHOUT_PARKING}`,
    install: "git fetch --unshallow",
    isMet: () => works("git", ["cat-file", "-e", `${LAST_WITHOUT_PARKING}^{commit}`]),
  },
  "coding-agents": {
    what: "the coding agents in the folder CODING_AGENTS",
    install:
      "npm install --prefix $CODING_AGENTS/<name> <package>@<version>, as src/contract/ci/coding-agents.ts has them",
    isMet: () => codingAgentNames.every((name) => existsSync(codingAgentBin(name))),
  },
  "small-disk": { what: "root, to mount a small disk", install: null, isMet: canMount },
  unprivileged: { what: "a user that is not root", install: null, isMet: () => process.getuid?.() !== 0 },
  linux: { what: "Linux", install: null, isMet: () => process.platform === "linux" },
  posix: { what: "a system with POSIX signals", install: null, isMet: () => process.platform !== "win32" },
  x64: { what: "a processor of the kind x64", install: null, isMet: () => process.arch === "x64" },
  "x64-or-arm64": {
    what: "a processor of the kind x64 or arm64",
    install: null,
    isMet: () => ["x64", "arm64"].includes(process.arch),
  },
  long: {
    what: "the long run",
    install: "npm run test:long",
    isMet: () => process.env.TEST_LONG === "1",
  },
} as const satisfies Readonly<Record<string, Need>>;

export type NeedName = keyof typeof needs;

const met = new Map<string, boolean>();

/** Whether this machine has it. Found out once a process. False for a name that is no need. */
export function isMet(name: string): boolean {
  const known = met.get(name) ?? needsByName[name]?.isMet() ?? false;
  met.set(name, known);
  return known;
}

/** The same list by its names, for what reads them at run time. */
export const needsByName: Readonly<Record<string, Need>> = needs;

type Tag = { readonly name: NeedName; readonly description: string; readonly skip?: true };

/** Vitest's settings: each need is a tag, and a test whose need is not met is skipped. */
export function testsByNeeds(): { tags: Tag[]; tagsFilter?: string[] } {
  const tags = Object.entries(needsByName).map(([name, { what }]) => ({
    name: name as NeedName,
    description: `needs ${what}`,
    ...(!isMet(name) && { skip: true as const }),
  }));
  const only = onlyNeeds();
  return only === null ? { tags } : { tags, tagsFilter: [only.join(" || ")] };
}

/** The needs of which a test must have one to be executed, where TEST_ONLY names them ("postgres,sandbox"). Null: all tests. */
export function onlyNeeds(): readonly string[] | null {
  return process.env.TEST_ONLY?.split(",") ?? null;
}

/** What .ci/run installs on a machine that has git, Node and `npm ci` alone. */
export const INSTALLED_BY_CI: readonly NeedName[] = [
  "postgres",
  "postgres-programs",
  "sandbox",
  "chromium",
  "ssh",
  "jq",
  "openssl",
];

/** The programs that those are made of. */
export const PROGRAMS_OF_CI: readonly string[] = [
  "bwrap",
  "jq",
  "openssl",
  "chromium",
  "chromium-headless-shell",
  "google-chrome",
  "ssh",
  "sshd",
  "psql",
  "initdb",
  "postgres",
  "pg_ctl",
  "pg_config",
];

function works(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "agent-service-disk-"));
  const isMounted = works("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (isMounted) works("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}
