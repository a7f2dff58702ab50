// `npm run test:near`: the test files nearest to what is not committed yet, or has changed since a commit (`-- --since main`). Those that
// start what is built take minutes, and are left out, unless `--all` is given.
// What is right here is not proven right: `npm test` executes all.
// Why: docs/decisions/192-node-loads-the-tests.md

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProcessTests, type NearestTests, openNearestTests } from "./nearest-tests.ts";

const project = join(import.meta.dirname, "..");

/** All files of tests among `changed`, then the nearest to each of the others in turn, as long as there are fewer than `count`. */
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

/** Null where git does not know the commit. */
function findChanged(since: string): string[] | null {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: project, encoding: "utf8" });
  const { status, stdout } = git("diff", "--name-only", "--diff-filter=d", "-z", since, "--");
  if (status !== 0) return null;
  const untracked = git("ls-files", "--others", "--exclude-standard", "-z").stdout;
  return [...stdout.split("\0"), ...untracked.split("\0")].filter((path) => path !== "");
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return 2;
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
  const count = Number(values.files);
  if (!Number.isSafeInteger(count) || count < 1)
    return refuse(`--files must be 1 or more, got "${values.files}".`);
  const missing = positionals.filter((path) => !existsSync(join(project, path)));
  if (missing.length > 0)
    return refuse(`There is no ${missing.join(", ")}. Name files from the project's folder.`);
  const changed = positionals.length > 0 ? positionals : findChanged(values.since);
  if (changed === null) return refuse(`Git knows no commit "${values.since}". Name one by --since.`);
  if (changed.length === 0)
    return refuse(`Nothing has changed since ${values.since}. Name files, or another commit by --since.`);
  const nearest = openNearestTests(project);
  const leftOut = values.all ? new Set<string>() : findProcessTests(project);
  const tests = chooseTests(changed, {
    nearest: (source) => nearest(source).filter((file) => !leftOut.has(file)),
    count,
  });
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
