// The test files in the order in which they are likely to notice a change of a source: those that import it, by how far away it is, and those
// whose paths share words with its own, the rarer the nearer.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, resolve } from "./imports-of.ts";

const FOLDERS = ["src", "test", "fakes", "scripts", "bench"];
/** A source that is imported directly counts as much as two rare words; one that is n imports away 1/n of that. */
const DIRECT = 2;
/** A test that does not import the source can only meet it in a process that it starts, which takes longer. */
const PROCESS_COST = 3;
/** What starts the built Action, the built command, a pod. */
const STARTERS = [
  "fakes/runner/run-action.ts",
  "fakes/kubernetes/pods.ts",
  "scripts/served-process.ts",
  "test/support/fixtures/service-process.ts",
];
/** Starts what its caller asks for, mostly within the process. */
const STARTS_ANY = "test/support/fixtures/start-fixture.ts";

/** Every test file, and a hash of its text. */
export function testFilesOf(project: string): ReadonlyMap<string, string> {
  const files = filesBelow(project, "test").filter((name) => name.endsWith(".test.ts"));
  const hash = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(project, name)))
      .digest("hex");
  return new Map(files.map((name) => [name, hash(name)]));
}

export type NearestTests = (source: string) => string[];

/** Reads the project once. */
export function openNearestTests(project: string): NearestTests {
  const { paths, importers } = readImports(project);
  const tests = paths
    .filter((path) => path.endsWith(".test.ts"))
    .map((file) => ({ file, words: wordsOf(file) }));
  const filesWith = Map.groupBy(
    tests.flatMap(({ words }) => words),
    (word) => word,
  );
  return (source) => {
    const distances = distancesTo(source, importers);
    const own = new Set(wordsOf(source));
    const scored = tests.map(({ file, words }) => {
      const shared = words
        .filter((word) => own.has(word))
        .map((word) => 1 / (filesWith.get(word)?.length ?? 1));
      const distance = distances.get(file);
      const sharing = shared.reduce((sum, one) => sum + one, 0);
      return { file, score: distance === undefined ? sharing / PROCESS_COST : sharing + DIRECT / distance };
    });
    return scored.sort((a, b) => b.score - a.score).map(({ file }) => file);
  };
}

/** The test files that start what is built, or a service in a process of its own: they take seconds to minutes. */
export function findProcessTests(project: string): ReadonlySet<string> {
  const { importers } = readImports(project);
  importers.delete(STARTS_ANY);
  return new Set(STARTERS.flatMap((starter) => [...distancesTo(starter, importers).keys()]));
}

type Imports = {
  readonly paths: readonly string[];
  /** The files that import each file. */
  readonly importers: Map<string, readonly string[]>;
};

function readImports(project: string): Imports {
  const paths = FOLDERS.flatMap((folder) => filesBelow(project, folder));
  const known = new Set(paths);
  const importers = new Map<string, readonly string[]>();
  for (const path of paths) {
    for (const specifier of importsOf(readFileSync(join(project, path), "utf8"))) {
      const target = resolve(path, specifier);
      if (known.has(target)) importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return { paths, importers };
}

/** How many imports lie between the source and each file that needs it. */
function distancesTo(
  source: string,
  importers: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map([[source, 0]]);
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

/** In the singular. */
function wordsOf(path: string): string[] {
  const name = path.replace(/(\.test)?\.ts$/, "");
  const words = name.split(/[/-]/).slice(1);
  return [...new Set(words.map((word) => word.replace(/(?<=\w{3})s$/, "")))];
}

function filesBelow(project: string, folder: string): string[] {
  const names = readdirSync(join(project, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .sort();
}
