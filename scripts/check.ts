// What decides whether a change lands. The one definition of it: `npm run check`, .ci/run and the workflows call this.
// With --complete it fails where tests would be skipped for want of a program or of a database.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";

const root = join(import.meta.dirname, "..");

/** In this order. The last one ends with the line "N passed, N failed, N skipped". */
const STEPS = ["lint", "types", "dist:check", "test"];
/** For the tests of the complete check: one that fails is tried once more, and named where it passes then. */
const TRIED_AGAIN = ["--", "--retry=1"];
const SANDBOX = "--unshare-all --unshare-user --disable-userns --ro-bind / / --proc /proc true";

const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";

type Need = { readonly what: string; probe(): unknown };

/** What tests need beside `npm ci`, and are skipped without. */
const needs: readonly Need[] = [
  { what: "git", probe: () => runQuietly("git", ["--version"]) },
  { what: "jq", probe: () => runQuietly("jq", ["--version"]) },
  { what: "openssl", probe: () => runQuietly("openssl", ["version"]) },
  { what: "a sandbox by bubblewrap (bwrap)", probe: () => runQuietly("bwrap", SANDBOX.split(" ")) },
  { what: "Chromium (chromium, or CHROMIUM)", probe: () => runQuietly(chromium, ["--version"]) },
  { what: "PostgreSQL at TEST_DATABASE_URL", probe: () => connectOnce(process.env.TEST_DATABASE_URL) },
  ...["initdb", "pg_ctl"].map((program) => ({
    what: `PostgreSQL's ${program} in POSTGRES_BINARIES`,
    probe: () => runQuietly(join(process.env.POSTGRES_BINARIES ?? "/", program), ["--version"]),
  })),
];

async function check(options: { isComplete: boolean }): Promise<number> {
  if (options.isComplete) {
    const missing = await findMissing();
    for (const line of missing) process.stderr.write(`The check cannot be complete here without ${line}\n`);
    if (missing.length > 0) return 1;
  }
  for (const step of STEPS) {
    const shell = process.platform === "win32";
    const retry = options.isComplete && step === "test" ? TRIED_AGAIN : [];
    const child = spawn("npm", ["run", step, ...retry], { cwd: root, shell, stdio: "inherit" });
    const [code] = await once(child, "close");
    if (code !== 0) return typeof code === "number" ? code : 1;
  }
  return 0;
}

async function findMissing(): Promise<string[]> {
  const missing: string[] = [];
  for (const { what, probe } of needs) {
    try {
      await probe();
    } catch (cause) {
      missing.push(`${what}: ${String(cause).split("\n")[0]}`);
    }
  }
  return missing;
}

function runQuietly(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: "pipe" });
}

async function connectOnce(url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error("TEST_DATABASE_URL is not set.");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.end();
}

process.exitCode = await check({ isComplete: process.argv.includes("--complete") });
