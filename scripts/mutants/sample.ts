// Which mutations a run of the mutation test makes: the same number in each part of the house, one in a line. Pure.

import { createHash } from "node:crypto";
import { findMutations, type Mutation } from "./mutations.ts";

/** A mutation that the mutation test makes. `id` counts from 1. */
export type Mutant = Mutation & { readonly id: number; readonly file: string };

/** Folders of src/ whose tests are examined. */
export const AREAS = [
  "service/core",
  "service/store",
  "service/oidc",
  "service/api",
  "service/executor",
  "service/sandbox",
  "job",
  "github",
  "cli",
] as const;

/** These end processes that they find on the machine: a mutant of them may end any, this program too. */
const LEFT_OUT: ReadonlySet<string> = new Set(["src/service/sandbox/orphan-processes.ts"]);

export type Sources = ReadonlyMap<string, string>;

/** `count` mutations of `sources` (text by path, "src/…"); the same ones for the same seed and sources. */
export function sampleMutants(sources: Sources, { seed, count }: { seed: number; count: number }): Mutant[] {
  const chosen: Omit<Mutant, "id">[] = [];
  for (const [index, area] of AREAS.entries()) {
    const share =
      Math.floor(((index + 1) * count) / AREAS.length) - Math.floor((index * count) / AREAS.length);
    const lines = mutationsByLine(sources, `src/${area}/`);
    const drawn = [...lines].sort(([a], [b]) => (draw(seed, a) < draw(seed, b) ? -1 : 1));
    const own: Omit<Mutant, "id">[] = [];
    for (const [line, options] of drawn) {
      const one = options[Number.parseInt(draw(seed + 1, line).slice(0, 8), 16) % options.length];
      // One file holds all of its mutants at once, so that none may stand within another.
      if (one === undefined || own.some((other) => overlaps(one, other))) continue;
      if (own.push(one) === share) break;
    }
    chosen.push(...own);
  }
  return chosen.map((one, index) => ({ ...one, id: index + 1 }));
}

function mutationsByLine(sources: Sources, folder: string): Map<string, Omit<Mutant, "id">[]> {
  const lines = new Map<string, Omit<Mutant, "id">[]>();
  for (const [file, source] of sources) {
    if (!file.startsWith(folder) || file.includes("/migrations/") || LEFT_OUT.has(file)) continue;
    for (const mutation of findMutations(source)) {
      const key = `${file}:${mutation.line}`;
      lines.set(key, [...(lines.get(key) ?? []), { ...mutation, file }]);
    }
  }
  return lines;
}

/** Orders the lines of an area, and the mutations of a line, by chance. */
function draw(seed: number, name: string): string {
  return createHash("sha256").update(`${seed} ${name}`).digest("hex");
}

function overlaps(one: Omit<Mutant, "id">, other: Omit<Mutant, "id">): boolean {
  return one.file === other.file && one.start < other.end && other.start < one.end;
}
