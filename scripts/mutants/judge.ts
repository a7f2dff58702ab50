// Which test files meet which mutants, and whether one of them fails on a mutant and not without it.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NearestTests, testFilesOf } from "../nearest-tests.ts";
import type { MutatedTree } from "./mutated-tree.ts";
import type { Mutant } from "./sample.ts";
import type { Failure } from "./test-process.ts";
import { openTestRunner, type TestRunner } from "./test-runner.ts";

export type Verdict = "killed" | "timed out" | "survived";

export type Judgement = {
  readonly verdict: Verdict;
  /** The test that failed, "file: title", where one did. */
  readonly by?: string;
};

/** What is known of a test file as it was when it was executed. */
export type MappedFile = {
  readonly hash: string;
  /** It fails without a mutation: it cannot judge. */
  readonly isFailing: boolean;
  /** The mutants that it meets, by their ids. */
  readonly met: readonly number[];
};
export type TestMap = Readonly<Record<string, MappedFile>>;

/** So many files share the start of a run; after each batch the map is kept. */
const BATCH = 24;
/** A file that hangs does so at every test, for two minutes each. */
const FILE_MS = 10 * 60_000;
/** The likeliest few by themselves: most mutants need no more. */
const FIRST_FILES = 3;
/** Each batch is so many times as large as the one before. */
const GROWTH = 3;

/** Executes the test files that `known` does not have as they are now, without a mutant, and calls `keep` after each batch. */
export async function mapTests(
  tree: MutatedTree,
  known: TestMap,
  keep: (map: TestMap) => void,
): Promise<TestMap> {
  const all = testFilesOf(tree.root);
  let map: TestMap = Object.fromEntries(
    Object.entries(known).filter(([file, { hash }]) => all.get(file) === hash),
  );
  const waiting = [...all.keys()].filter((file) => map[file] === undefined);
  const runner = openTestRunner(tree.root, { isIsolated: true });
  try {
    for (let at = 0; at < waiting.length; at += BATCH) {
      const batch = waiting.slice(at, at + BATCH);
      map = { ...map, ...(await mapBatch(tree, runner, { batch, hashes: all })) };
      keep(map);
    }
  } finally {
    await runner.close();
  }
  return map;
}

type Batch = { readonly batch: readonly string[]; readonly hashes: ReadonlyMap<string, string> };

async function mapBatch(tree: MutatedTree, runner: TestRunner, { batch, hashes }: Batch): Promise<TestMap> {
  const mapping = join(tree.root, "mutant-mapping");
  const metPath = join(tree.root, "mutant-met");
  writeFileSync(mapping, "yes");
  writeFileSync(metPath, "");
  const { isOver, failures } = await runner.run(batch, { timeoutMs: FILE_MS * batch.length, isWhole: true });
  rmSync(mapping);
  if (!isOver) throw new Error(`These tests do not end without a mutant: ${batch.join(", ")}`);
  const lines = readFileSync(metPath, "utf8").split("\n");
  return Object.fromEntries(
    batch.map((file) => {
      const met = lines.filter((line) => line.endsWith(` ${file}`)).map((line) => Number(line.split(" ")[0]));
      const isFailing = failures.some((failure) => failure.file === file);
      return [file, { hash: hashes.get(file) ?? "", isFailing, met }];
    }),
  );
}

export type Judge = { judge(mutant: Mutant): Promise<Judgement>; close(): Promise<void> };

type JudgeOptions = {
  readonly map: TestMap;
  readonly nearest: NearestTests;
  readonly maxFiles: number;
  /** Files that pass without a mutant, and that do not: learnt here, and known to the judges of the other copies. */
  readonly plain: Map<string, boolean>;
};

export function openJudge(tree: MutatedTree, options: JudgeOptions): Judge {
  const runner = openTestRunner(tree.root, { isIsolated: false });

  const firstFailure = async (
    files: readonly string[],
    id: number | null,
  ): Promise<Failure | null | "late"> => {
    tree.choose(id);
    try {
      const { isOver, failures } = await runner.run(files, { timeoutMs: FILE_MS * files.length });
      return isOver ? (failures[0] ?? null) : "late";
    } finally {
      tree.choose(null);
    }
  };
  const passesPlain = async (file: string): Promise<boolean> => {
    const known = options.plain.get(file);
    if (known !== undefined) return known;
    const passes = (await firstFailure([file], null)) === null;
    options.plain.set(file, passes);
    return passes;
  };
  /** Null: none of them fails on the mutant alone. */
  const judgeBy = async (files: readonly string[], id: number): Promise<Judgement | null> => {
    const waiting = files.filter((file) => options.plain.get(file) !== false);
    while (waiting.length > 0) {
      const found = await firstFailure(waiting, id);
      if (found === null) return null;
      if (found === "late") return { verdict: "timed out" };
      const { file, title } = found;
      // Nothing of the run counts: the files one by one say which of them it was.
      if (!waiting.includes(file) && waiting.length > 1) {
        for (const each of waiting) {
          const judgement = await judgeBy([each], id);
          if (judgement !== null) return judgement;
        }
        return null;
      }
      const judged = waiting.includes(file) ? file : (waiting[0] ?? "");
      if ((await passesPlain(judged)) && (await firstFailure([judged], id)) !== null)
        return { verdict: "killed", by: `${judged}: ${title}` };
      // The others have not been executed: the first failure ended the run.
      waiting.splice(waiting.indexOf(judged), 1);
    }
    return null;
  };
  return {
    async judge(mutant) {
      const files = rank(mutant, options).slice(0, options.maxFiles);
      for (const some of inBatches(files)) {
        const judgement = await judgeBy(some, mutant.id);
        if (judgement !== null) return judgement;
      }
      return { verdict: "survived" };
    },
    close: async () => await runner.close(),
  };
}

function inBatches(files: readonly string[]): (readonly string[])[] {
  const batches: (readonly string[])[] = [];
  let size = FIRST_FILES;
  for (let at = 0; at < files.length; size *= GROWTH) {
    batches.push(files.slice(at, at + size));
    at += size;
  }
  return batches;
}

/**
 * The test of the same name first, then those that meet few other mutants: they are about this part. Where none was seen to
 * meet it (the map is not made, or a browser executes it): those that are nearest.
 */
function rank(mutant: Mutant, { map, nearest }: JudgeOptions): string[] {
  const meeting = Object.entries(map).filter(
    ([, { isFailing, met }]) => !isFailing && met.includes(mutant.id),
  );
  if (meeting.length === 0) {
    const failing = new Set(Object.keys(map).filter((file) => map[file]?.isFailing));
    return nearest(mutant.file).filter((file) => !failing.has(file));
  }
  const mirror = mutant.file.replace(/^src\//, "test/").replace(/\.ts$/, "");
  const scored = meeting.map(([file, { met }]) => ({
    file,
    score: file.startsWith(mirror) ? 0 : met.length,
  }));
  return scored.sort((a, b) => a.score - b.score).map(({ file }) => file);
}
