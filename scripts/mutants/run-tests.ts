// Executes test files of a copy of the project, in a process group of their own that is ended in time.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

export type Failure = { readonly file: string; readonly title: string };
export type Ended = {
  /** Whether the tests came to their end in time. */
  readonly isOver: boolean;
  /** The first of each file. */
  readonly failures: readonly Failure[];
};

const RESULTS = "mutant-results.json";

/** `options` are those of vitest, and files. */
export async function runTests(root: string, options: readonly string[], timeoutMs: number): Promise<Ended> {
  const results = join(root, RESULTS);
  rmSync(results, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "mutants.config.ts"];
  const reporting = ["--reporter", "json", `--outputFile=${results}`];
  const child = spawn(process.execPath, [...args, ...reporting, ...options], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output = (output + chunk).slice(-4_000);
  });
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  if (hasTimedOut) return { isOver: false, failures: [] };
  const failures = existsSync(results) ? readFailures(root, results) : [];
  // An error outside any test, or a process that was ended.
  if (code !== 0 && failures.length === 0)
    failures.push({ file: "outside of tests", title: lastLine(output) });
  return { isOver: true, failures };
}

function readFailures(root: string, path: string): Failure[] {
  const { testResults }: Report = JSON.parse(readFileSync(path, "utf8"));
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.find((one) => one.status === "failed");
    if (failed !== undefined) return [{ file, title: failed.fullName }];
    return status === "failed" ? [{ file, title: lastLine(message) }] : [];
  });
}

/** What is read of the report that vitest writes as JSON. */
type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
