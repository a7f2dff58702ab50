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
/** So many are compiled together: it takes as long for one as for all. */
const BATCH = 200;
const FAULT = /^(?<file>[^(\n]+)\((?<line>\d+),\d+\): error TS/gm;

type Fault = { readonly file: string; readonly line: number };

/** Copies the project to `root` and compiles it. Throws where that fails. */
export async function openCompiler(project: string, root: string): Promise<Compiler> {
  copyProject(project, root);
  writeFileSync(join(root, CONFIG), JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }));

  const compile = async (): Promise<readonly Fault[]> => {
    const args = ["--noEmit", "--pretty", "false", "--project", CONFIG];
    const child = spawn("node_modules/.bin/tsc", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    const faults = [...printed.matchAll(FAULT)].map(({ groups }) => ({
      file: groups?.file ?? "",
      line: Number(groups?.line),
    }));
    if (child.exitCode !== 0 && faults.length === 0) throw new Error(`The compiler failed: ${printed}`);
    return faults;
  };
  const compileWith = async (mutants: readonly Mutant[]): Promise<readonly Fault[]> => {
    const sources = new Map(mutants.map(({ file }) => [file, readFileSync(join(root, file), "utf8")]));
    for (const [file, source] of sources)
      writeFileSync(
        join(root, file),
        mutated(
          source,
          mutants.filter((one) => one.file === file),
        ),
      );
    try {
      return await compile();
    } finally {
      for (const [file, source] of sources) writeFileSync(join(root, file), source);
    }
  };
  /** A fault counts as that of the nearest mutant: by lines in its own file, or of a file that its file imports. */
  const refusedOf = async (batch: readonly Mutant[]): Promise<readonly Mutant[]> => {
    if (batch.length === 0) return [];
    const faults = await compileWith(batch);
    if (faults.length === 0) return [];
    const byFile = Map.groupBy(batch, ({ file }) => file);
    const blamed = new Set(
      faults.flatMap(({ file, line }) => {
        const own = byFile.get(file);
        if (own !== undefined)
          return own.toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))[0];
        return nearestOf(file, byFile, root).flatMap((path) => byFile.get(path) ?? []);
      }),
    );
    const others = batch.filter((one) => !blamed.has(one));
    if (others.length === batch.length)
      throw new Error(`No mutant explains the fault in ${faults[0]?.file}:${faults[0]?.line}.`);
    return [...batch.filter((one) => blamed.has(one)), ...(await refusedOf(others))];
  };
  if ((await compile()).length > 0) throw new Error("The sources do not compile without a mutant.");
  return {
    async refused(mutants) {
      const found: Mutant[] = [];
      for (let at = 0; at < mutants.length; at += BATCH)
        found.push(...(await refusedOf(mutants.slice(at, at + BATCH))));
      return new Set(found.map(({ id }) => id));
    },
  };
}

/** Those of `wanted` that take the fewest imports from `file`. */
function nearestOf(file: string, wanted: ReadonlyMap<string, unknown>, root: string): readonly string[] {
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

/** The source with all of them, none of which stands within another. */
function mutated(source: string, mutants: readonly Mutant[]): string {
  let text = source;
  for (const { start, end, replacement, place } of mutants.toSorted((a, b) => b.start - a.start))
    text =
      text.slice(0, start) + (place === "expression" ? `(${replacement})` : replacement) + text.slice(end);
  return text;
}
