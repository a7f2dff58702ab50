// Which test files meet which mutants, and whether one of them fails on a mutant and not without it.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MutatedTree } from "./mutated-tree.ts";
import { runTests } from "./run-tests.ts";
import type { Mutant } from "./sample.ts";

/** "refused": the types do not allow it, so that it is not counted. */
export type Verdict = "killed" | "timed out" | "refused" | "survived";

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
const NEAREST = 4;

/** Every test file, and a hash of its text. */
export function testFilesOf(project: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(project, "test"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".test.ts")).sort();
  const hash = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(project, "test", name)))
      .digest("hex");
  return new Map(files.map((name) => [`test/${name}`, hash(name)]));
}

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
  for (let at = 0; at < waiting.length; at += BATCH) {
    const batch = waiting.slice(at, at + BATCH);
    map = { ...map, ...(await mapBatch(tree, batch, all)) };
    keep(map);
  }
  return map;
}

async function mapBatch(
  tree: MutatedTree,
  batch: readonly string[],
  hashes: ReadonlyMap<string, string>,
): Promise<TestMap> {
  const mapping = join(tree.root, "mutant-mapping");
  const metPath = join(tree.root, "mutant-met");
  writeFileSync(mapping, "yes");
  writeFileSync(metPath, "");
  // Each file in a process of its own: a module's top level is executed for the first file alone otherwise.
  const { isOver, failures } = await runTests(tree.root, ["--isolate", ...batch], FILE_MS * batch.length);
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

/**
 * Executes the tests that meet the mutant, the likeliest first and at most `maxFiles` files, until one fails. One that
 * fails without the mutant too, or passes with it when it is executed again, does not count.
 */
export async function judge(
  tree: MutatedTree,
  mutant: Mutant,
  { map, maxFiles }: { map: TestMap; maxFiles: number },
): Promise<Judgement> {
  const files = rank(mutant, map, tree.root).slice(0, maxFiles);
  // The nearest few by themselves: starting hundreds of files costs more than most mutants need.
  let waiting = [files.slice(0, NEAREST), files.slice(NEAREST)].filter((some) => some.length > 0);
  for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
    const found = await firstFailure(tree, some, mutant.id);
    if (found === null) continue;
    const { file, judgement } = found;
    const again = file === null ? some : [file];
    const plain = await firstFailure(tree, again, null);
    if (plain !== null && plain.file === null)
      throw new Error(`The tests do not start without a mutant: ${plain.judgement.by}`);
    if (plain === null && (await firstFailure(tree, again, mutant.id)) !== null) return judgement;
    // The others have not been executed: the first failure ended the run.
    const others = some.filter((each) => each !== file);
    if (file !== null && others.length > 0) waiting = [others, ...waiting];
  }
  return { verdict: "survived" };
}

async function firstFailure(
  tree: MutatedTree,
  files: readonly string[],
  id: number | null,
): Promise<{ file: string | null; judgement: Judgement } | null> {
  tree.choose(id);
  try {
    const options = ["--bail", "1", "--maxWorkers", files.length > NEAREST ? "2" : "1"];
    const { isOver, failures } = await runTests(tree.root, [...options, ...files], FILE_MS * files.length);
    if (!isOver) return { file: null, judgement: { verdict: "timed out" } };
    const [first] = failures;
    if (first === undefined) return null;
    const { file, title } = first;
    return {
      file: files.includes(file) ? file : null,
      judgement: { verdict: "killed", by: `${file}: ${title}` },
    };
  } finally {
    tree.choose(null);
  }
}

/**
 * The test of the same name first, then those that meet few other mutants: they are about this part. Where none was seen to
 * meet it (the map is not made, or a browser executes it): those whose paths are nearest.
 */
function rank(mutant: Mutant, map: TestMap, root: string): string[] {
  const meeting = Object.entries(map).filter(
    ([, { isFailing, met }]) => !isFailing && met.includes(mutant.id),
  );
  if (meeting.length === 0) {
    const failing = new Set(Object.keys(map).filter((file) => map[file]?.isFailing));
    return nearestTo(mutant.file, root).filter((file) => !failing.has(file));
  }
  const mirror = mutant.file.replace(/^src\//, "test/").replace(/\.ts$/, "");
  const scored = meeting.map(([file, { met }]) => ({
    file,
    score: file.startsWith(mirror) ? 0 : met.length,
  }));
  return scored.sort((a, b) => a.score - b.score).map(({ file }) => file);
}

/** Tests that import the file first, then those whose paths share words with its own: the rarer a word, the nearer. */
function nearestTo(source: string, root: string): string[] {
  const wordsOf = (path: string): string[] => [
    ...new Set(
      path
        .replace(/(\.test)?\.ts$/, "")
        .split(/[/-]/)
        .slice(1),
    ),
  ];
  const tests = [...testFilesOf(root).keys()].map((file) => ({ file, words: wordsOf(file) }));
  const own = new Set(wordsOf(source));
  const countOf = Map.groupBy(
    tests.flatMap(({ words }) => words),
    (word) => word,
  );
  const scored = tests.map(({ file, words }) => {
    const shared = words.filter((word) => own.has(word)).map((word) => 1 / (countOf.get(word)?.length ?? 1));
    const isImported = readFileSync(join(root, file), "utf8").includes(`/${source}"`);
    return { file, score: shared.reduce((sum, one) => sum + one, isImported ? 2 : 0) };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ file }) => file);
}
