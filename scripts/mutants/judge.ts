// Which test files meet which mutants, and whether one of them fails on a mutant.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { MutatedTree } from "./mutated-tree.ts";
import type { Mutant } from "./sample.ts";

/** "refused": no test failed, but the types do not allow it. */
export type Verdict = "killed" | "timed out" | "refused" | "survived" | "not met";

export type Judgement = {
  readonly verdict: Verdict;
  /** The test that failed, "file: title", where one did. */
  readonly by?: string;
};

/** The test files that execute a mutant's line, by the mutant's id. */
export type TestMap = ReadonlyMap<number, ReadonlySet<string>>;

export type Mapping = {
  readonly map: TestMap;
  /** Test files that fail without a mutation. They are not in the map: they cannot judge. */
  readonly failing: ReadonlySet<string>;
};

const MAP_MS = 90 * 60_000;
const JUDGE_MS = 45 * 60_000;
const RESULTS = "mutant-results.json";

/** Executes every test once, without a mutant. Throws where the tests do not come to their end. */
export async function mapTests(tree: MutatedTree): Promise<Mapping> {
  const mapping = join(tree.root, "mutant-mapping");
  writeFileSync(mapping, "yes");
  // Each file in a process of its own: a module's top level is executed for the first file alone otherwise.
  const { isOver, failures } = await runTests(tree, ["--isolate"], MAP_MS);
  rmSync(mapping);
  if (!isOver) throw new Error(`The tests did not end within ${MAP_MS / 60_000} minutes.`);
  const failing = new Set(failures.map(({ file }) => file));
  const map = new Map<number, Set<string>>();
  for (const line of readFileSync(join(tree.root, "mutant-met"), "utf8").split("\n")) {
    const [id = "", file = ""] = line.split(" ");
    if (file === "" || failing.has(file)) continue;
    const files = map.get(Number(id)) ?? new Set();
    map.set(Number(id), files.add(file));
  }
  return { map, failing };
}

/** Executes the tests that meet the mutant, the likeliest first and at most `maxFiles` files, until one fails. */
export async function judge(
  tree: MutatedTree,
  mutant: Mutant,
  { map, maxFiles }: { map: TestMap; maxFiles: number },
): Promise<Judgement> {
  const files = rank(mutant, map).slice(0, maxFiles);
  if (files.length === 0) return { verdict: "not met" };
  tree.choose(mutant.id);
  try {
    // The nearest few by themselves: starting hundreds of files costs more than most mutants need.
    for (const some of [files.slice(0, 4), files.slice(4)]) {
      if (some.length === 0) continue;
      const { isOver, failures } = await runTests(
        tree,
        ["--bail", "1", "--maxWorkers", "2", ...some],
        JUDGE_MS,
      );
      if (!isOver) return { verdict: "timed out" };
      const [first] = failures;
      if (first !== undefined) return { verdict: "killed", by: `${first.file}: ${first.title}` };
    }
    return { verdict: "survived" };
  } finally {
    tree.choose(null);
  }
}

/** The test of the same name first, then those that meet few other mutants: they are about this part. */
function rank(mutant: Mutant, map: TestMap): string[] {
  const mirror = mutant.file.replace(/^src\//, "test/").replace(/\.ts$/, "");
  const breadth = (file: string): number => [...map.values()].filter((files) => files.has(file)).length;
  const score = (file: string): number => (file.startsWith(mirror) ? 0 : breadth(file));
  const scored = [...(map.get(mutant.id) ?? [])].map((file) => ({ file, score: score(file) }));
  return scored.sort((a, b) => a.score - b.score).map(({ file }) => file);
}

type Failure = { readonly file: string; readonly title: string };
type Ended = {
  /** Whether the tests came to their end in time. */
  readonly isOver: boolean;
  readonly failures: readonly Failure[];
};

async function runTests(tree: MutatedTree, options: readonly string[], timeoutMs: number): Promise<Ended> {
  const results = join(tree.root, RESULTS);
  rmSync(results, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "mutants.config.ts"];
  const reporting = ["--reporter", "json", `--outputFile=${results}`];
  const child = spawn(process.execPath, [...args, ...reporting, ...options], {
    cwd: tree.root,
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
  const failures = existsSync(results) ? readFailures(tree, results) : [];
  // An error outside any test, or a process that was ended.
  if (code !== 0 && failures.length === 0)
    failures.push({ file: "outside of tests", title: lastLine(output) });
  return { isOver: true, failures };
}

function readFailures(tree: MutatedTree, path: string): Failure[] {
  const { testResults }: Report = JSON.parse(readFileSync(path, "utf8"));
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(tree.root, name);
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

/** Whether the compiler refuses the mutant. `root` is an unchanged copy of the project. */
export function isRefused(root: string, mutant: Mutant): boolean {
  const path = join(root, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.slice(0, mutant.start) + mutant.replacement + source.slice(mutant.end));
  const { status } = spawnSync("node_modules/.bin/tsc", ["--noEmit"], { cwd: root, stdio: "ignore" });
  writeFileSync(path, source);
  return status !== 0;
}
