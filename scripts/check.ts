// The check that every change has to pass. The one definition of it: `npm run check`, .ci/run and the workflows call this.
// With --complete no test is skipped for want of what .ci/run installs. The tests are then executed twice, no test in
// both: first as a machine has them on which nothing is installed, then those that were skipped there, with everything.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { INSTALLED_BY_CI, isMet, needs, PROGRAMS_OF_CI } from "./test-needs.ts";
import { closingLine, failureLines, type Totals } from "./test-totals.ts";

const root = join(import.meta.dirname, "..");
const STEPS = ["lint", "types", "dist:check"];
/** In the complete check, a test that fails is tried once more, and named where it passes then. */
const RETRY = "--retry=1";

async function check(options: { isComplete: boolean }): Promise<number> {
  if (options.isComplete) {
    const missing = await findMissing();
    for (const line of missing) process.stderr.write(`The check cannot be complete here without ${line}\n`);
    if (missing.length > 0) return 1;
  }
  for (const step of STEPS) {
    const code = await npm(["run", step], process.env);
    if (code !== 0) return code;
  }
  return options.isComplete ? await testCompletely() : await npm(["test"], process.env);
}

async function findMissing(): Promise<string[]> {
  const missing = INSTALLED_BY_CI.filter((name) => !isMet(name)).map(
    (name) => `${needs[name].what}: ${needs[name].install}.`,
  );
  try {
    await connectOnce(process.env.TEST_DATABASE_URL);
  } catch (cause) {
    missing.push(`an answer of PostgreSQL at TEST_DATABASE_URL: ${String(cause).split("\n")[0]}`);
  }
  return missing;
}

async function testCompletely(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "agent-service-check-"));
  try {
    process.stdout.write("\nThe tests as a machine has them on which nothing is installed:\n");
    const first = await test({ folder, name: "first", env: emptyMachine(folder), files: [] });
    const lacking = INSTALLED_BY_CI.filter((name) => name in first.totals.missing);
    process.stdout.write(`\nThe tests that were skipped, with ${lacking.join(", ")}:\n`);
    const env = { ...process.env, TEST_ONLY: lacking.join(",") };
    const second = await test({ folder, name: "second", env, files: first.totals.skippedFiles });
    const left = lacking.reduce((sum, name) => sum - (first.totals.missing[name] ?? 0), first.totals.skipped);
    const both: Totals = {
      ...second.totals,
      passed: first.totals.passed + second.totals.passed,
      failed: first.totals.failed + second.totals.failed,
      failures: [...first.totals.failures, ...second.totals.failures],
      skipped: left + second.totals.skipped,
    };
    const code = first.code || second.code;
    if (code !== 0 && both.failed === 0)
      process.stdout.write(`\nThe runner ended with exit code ${code}, and named no cause.\n`);
    process.stdout.write(`${failureLines(both.failures)}\n${closingLine(both)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type TestRun = {
  /** Where the totals are written. */
  readonly folder: string;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** All where there are none. */
  readonly files: readonly string[];
};

async function test(run: TestRun): Promise<{ code: number; totals: Totals }> {
  const file = join(run.folder, `${run.name}.json`);
  const code = await npm(["test", "--", RETRY, ...run.files], { ...run.env, TEST_TOTALS: file });
  return { code, totals: JSON.parse(readFileSync(file, "utf8")) };
}

/** Without the programs that .ci/run installs, and without what names them. */
function emptyMachine(folder: string): NodeJS.ProcessEnv {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const found = new Set(PROGRAMS_OF_CI);
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of namesIn(place)) {
      if (found.has(name)) continue;
      found.add(name);
      symlinkSync(join(place, name), join(programs, name));
    }
  }
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  const nothing = join(folder, "nothing");
  return { ...env, PATH: programs, POSTGRES_BINARIES: nothing, CHROMIUM: nothing, SSHD: nothing };
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

async function npm(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const shell = process.platform === "win32";
  const child = spawn("npm", args, { cwd: root, shell, stdio: "inherit", env });
  const [code] = await once(child, "close");
  return typeof code === "number" ? code : 1;
}

async function connectOnce(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.end();
}

process.exitCode = await check({ isComplete: process.argv.includes("--complete") });
