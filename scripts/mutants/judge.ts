// Which test files meet which mutants, and whether one of them fails on a mutant.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MutatedTree } from "./mutated-tree.ts";
import type { Mutant } from "./sample.ts";

/** "refused": no test failed, but the types do not allow it. */
export type Verdict = "killed" | "timed out" | "refused" | "survived" | "not met";

/** The test files that execute a mutant's line, by the mutant's id. */
export type TestMap = ReadonlyMap<number, ReadonlySet<string>>;

const MAP_MS = 90 * 60_000;
const JUDGE_MS = 10 * 60_000;

/** Executes every test once, without a mutant. Throws where tests fail: then no verdict would mean anything. */
export async function mapTests(tree: MutatedTree): Promise<TestMap> {
  const mapping = join(tree.root, "mutant-mapping");
  writeFileSync(mapping, "yes");
  // Each file in a process of its own: a module's top level is executed for the first file alone otherwise.
  const { code, output } = await runTests(tree, ["--isolate"], MAP_MS);
  rmSync(mapping);
  if (code !== 0) throw new Error(`Tests fail without a mutation:\n${output.slice(-4_000)}`);
  const map = new Map<number, Set<string>>();
  for (const line of readFileSync(join(tree.root, "mutant-met"), "utf8").split("\n")) {
    const [id = "", file = ""] = line.split(" ");
    if (file === "") continue;
    const files = map.get(Number(id)) ?? new Set();
    map.set(Number(id), files.add(file));
  }
  return map;
}

/** Executes the tests that meet the mutant, the likeliest first, until one fails. */
export async function judge(tree: MutatedTree, mutant: Mutant, map: TestMap): Promise<Verdict> {
  const files = rank(mutant, map);
  if (files.length === 0) return "not met";
  tree.choose(mutant.id);
  try {
    // The nearest few by themselves: starting hundreds of files costs more than most mutants need.
    for (const some of [files.slice(0, 4), files.slice(4)]) {
      if (some.length === 0) continue;
      const { code } = await runTests(tree, ["--bail", "1", ...some], JUDGE_MS);
      if (code === null) return "timed out";
      if (code !== 0) return "killed";
    }
    return "survived";
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

type Ended = { readonly code: number | null; readonly output: string };

/** `code` is null where the tests did not end in time. */
async function runTests(tree: MutatedTree, options: readonly string[], timeoutMs: number): Promise<Ended> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "mutants.config.ts", ...options];
  const child = spawn(process.execPath, args, {
    cwd: tree.root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-20_000);
    });
  }
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code: hasTimedOut || typeof code !== "number" ? null : code, output };
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
