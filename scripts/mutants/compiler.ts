// Which mutants the types allow.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { importsOf, resolve } from "../imports-of.ts";
import { copyProject } from "./mutated-tree.ts";
import type { Mutant } from "./sample.ts";

export type Compiler = {
  /** The ids of those that the compiler refuses. */
  refused(mutants: readonly Mutant[]): Promise<ReadonlySet<number>>;
};

const CONFIG = "mutants.tsconfig.json";
/** So many files are changed at a time, each by one mutant: a compilation takes as long for one as for all. */
const BATCH = 200;
const FAULT = /^(?<file>[^(\n]+)\(\d+,\d+\): error TS/gm;

/** Copies the project to `root` and compiles it. Throws where that fails. */
export async function openCompiler(project: string, root: string): Promise<Compiler> {
  copyProject(project, root);
  writeFileSync(join(root, CONFIG), JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }));

  const faultyFiles = async (): Promise<ReadonlySet<string>> => {
    const args = ["--noEmit", "--pretty", "false", "--project", CONFIG];
    const child = spawn("node_modules/.bin/tsc", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    const files = new Set([...printed.matchAll(FAULT)].map(({ groups }) => groups?.file ?? ""));
    if (child.exitCode !== 0 && files.size === 0) throw new Error(`The compiler failed: ${printed}`);
    return files;
  };
  const faultyWith = async (mutants: readonly Mutant[]): Promise<ReadonlySet<string>> => {
    const sources = mutants.map(({ file }) => readFileSync(join(root, file), "utf8"));
    for (const [index, mutant] of mutants.entries())
      writeFileSync(join(root, mutant.file), mutated(sources[index] ?? "", mutant));
    try {
      return await faultyFiles();
    } finally {
      for (const [index, { file }] of mutants.entries())
        writeFileSync(join(root, file), sources[index] ?? "");
    }
  };
  /** At most one mutant a file. A fault counts as that of the nearest mutant: of its own file, or of one that its file imports. */
  const refusedOf = async (batch: readonly Mutant[]): Promise<readonly Mutant[]> => {
    if (batch.length === 0) return [];
    const faulty = await faultyWith(batch);
    if (faulty.size === 0) return [];
    const changed = new Set(batch.map(({ file }) => file));
    const blamed = new Set([...faulty].flatMap((file) => nearestOf(file, changed, root)));
    if (blamed.size === 0) throw new Error(`No mutant explains the faults of ${[...faulty].join(", ")}.`);
    const [own, others] = [
      batch.filter(({ file }) => blamed.has(file)),
      batch.filter(({ file }) => !blamed.has(file)),
    ];
    return [...own, ...(await refusedOf(others))];
  };
  if ((await faultyFiles()).size > 0) throw new Error("The sources do not compile without a mutant.");
  return {
    async refused(mutants) {
      const found: Mutant[] = [];
      for (const batch of batchesOf(mutants)) found.push(...(await refusedOf(batch)));
      return new Set(found.map(({ id }) => id));
    },
  };
}

/** Those of `wanted` that take the fewest imports from `file`. */
function nearestOf(file: string, wanted: ReadonlySet<string>, root: string): readonly string[] {
  const seen = new Set<string>();
  for (let level = [file]; level.length > 0; ) {
    const found = level.filter((path) => wanted.has(path));
    if (found.length > 0) return found;
    for (const path of level) seen.add(path);
    level = [...new Set(level.flatMap((path) => importedBy(path, root)))].filter((path) => !seen.has(path));
  }
  return [];
}

function importedBy(path: string, root: string): readonly string[] {
  return importsOf(readFileSync(join(root, path), "utf8"))
    .map((specifier) => resolve(path, specifier))
    .filter((target) => target.startsWith("src/"));
}

function mutated(source: string, { start, end, replacement, place }: Mutant): string {
  const written = place === "expression" ? `(${replacement})` : replacement;
  return source.slice(0, start) + written + source.slice(end);
}

/** Of at most BATCH, no two of one file together. */
function batchesOf(mutants: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const batches: Mutant[][] = [];
  for (const mutant of mutants) {
    const free = batches.find(
      (batch) => batch.length < BATCH && !batch.some(({ file }) => file === mutant.file),
    );
    if (free === undefined) batches.push([mutant]);
    else free.push(mutant);
  }
  return batches;
}
