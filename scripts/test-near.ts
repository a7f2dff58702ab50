// `npm run test:near`: the test files nearest to what is not committed yet, or has changed since a commit (`-- --since main`). Those that
// start what is built take minutes, and are left out, unless `--all` is given.
// What is right here is not proven right: `npm test` executes all.
// Why: docs/decisions/192-node-loads-the-tests.md

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProcessTests, type NearestTests, openNearestTests } from "./nearest-tests.ts";

const project = join(import.meta.dirname, "..");

/** The files of tests among `changed`, then the nearest to each of the others in turn. At most `count` in all. */
export function chooseTests(
  changed: readonly string[],
  { nearest, count }: { readonly nearest: NearestTests; readonly count: number },
): string[] {
  const isTest = (path: string) => path.endsWith(".test.ts");
  const chosen = new Set(changed.filter(isTest));
  const orders = changed.filter((path) => !isTest(path)).map(nearest);
  const longest = Math.max(0, ...orders.map(({ length }) => length));
  for (let place = 0; place < longest; place += 1)
    for (const { [place]: file } of orders) if (file !== undefined && chosen.size < count) chosen.add(file);
  return [...chosen];
}

function findChanged(since: string): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", [...args, "-z"], { cwd: project, encoding: "utf8" }).split("\0");
  const tracked = git("diff", "--name-only", "--diff-filter=d", since);
  const untracked = git("ls-files", "--others", "--exclude-standard");
  return [...tracked, ...untracked].filter((path) => path !== "");
}

function main(): number {
  const { values, positionals } = parseArgs({
    options: {
      since: { type: "string", default: "HEAD" },
      files: { type: "string", default: "40" },
      all: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const changed = positionals.length > 0 ? positionals : findChanged(values.since);
  const nearest = openNearestTests(project);
  const leftOut = values.all ? new Set<string>() : findProcessTests(project);
  const tests = chooseTests(changed, {
    nearest: (source) => nearest(source).filter((file) => !leftOut.has(file)),
    count: Number(values.files),
  });
  if (tests.length === 0) {
    process.stdout.write(
      `Nothing has changed since ${values.since}. Name files, or another commit by --since.\n`,
    );
    return 0;
  }
  process.stdout.write(
    `Of ${changed.length} changed files, the ${tests.length} nearest test files${values.all ? "" : " that start nothing built"}:\n`,
  );
  const ran = spawnSync(
    process.execPath,
    [join(project, "node_modules/vitest/vitest.mjs"), "run", ...tests],
    {
      cwd: project,
      stdio: "inherit",
    },
  );
  return ran.status ?? 1;
}

if (import.meta.main) process.exitCode = main();
