// Which mutations a run of the mutation test makes: evenly from each area of src/, one in a line. Pure.

import { createHash } from "node:crypto";
import { findMutations, type Mutation } from "./mutations.ts";

/** A mutation that the mutation test makes. `id` counts from 1. */
export type Mutant = Mutation & { readonly id: number; readonly file: string };
type Drawn = Omit<Mutant, "id">;

/** Ends processes that it finds on the machine: a mutant of it may end any, this program too. */
const ENDS_PROCESSES = /orphan-processes\.ts$/;
const ENDS_PROCESS = /\bkill\(/;

/** Text by path, "src/…". */
export type Sources = ReadonlyMap<string, string>;

/** The part of the house that a file belongs to: a folder of src/, or one of src/service/. */
export function areaOf(file: string): string {
  const [, folder = "", inner = "", ...rest] = file.split("/");
  return folder === "service" && rest.length > 0 ? `${folder}/${inner}` : folder;
}

/** `count` mutations of `sources`, one area after the other in turn; the same ones for the same seed and sources. */
export function sampleMutants(sources: Sources, { seed, count }: { seed: number; count: number }): Mutant[] {
  const areas = Map.groupBy(mutationsByLine(sources), ([, [first]]) => areaOf(first.file));
  const waiting = [...areas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, lines]) => inDrawnOrder(lines, seed));
  const chosen: Drawn[] = [];
  while (chosen.length < count && waiting.some((lines) => lines.length > 0)) {
    for (const lines of waiting) {
      const one = nextApart(lines, chosen);
      if (one !== null && chosen.length < count) chosen.push(one);
    }
  }
  return chosen.map((one, index) => ({ ...one, id: index + 1 }));
}

/** One mutation a line: first its kind is drawn, as a line has many fields and one condition. */
function inDrawnOrder(lines: readonly Line[], seed: number): Drawn[] {
  const drawn = lines
    .map((line) => ({ line, at: draw(seed, line[0]) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  return drawn.map(({ line: [line, options] }) => {
    const kinds = [...Map.groupBy(options, ({ kind }) => kind).values()];
    const ofKind = pick(kinds, draw(seed + 1, line)) ?? options;
    return pick(ofKind, draw(seed + 2, line)) ?? options[0];
  });
}

function pick<T>(options: readonly T[], drawn: string): T | undefined {
  return options[Number.parseInt(drawn.slice(0, 8), 16) % options.length];
}

/** Takes the next from `lines`. One file holds all of its mutants at once, so that none may stand within another. */
function nextApart(lines: Drawn[], chosen: readonly Drawn[]): Drawn | null {
  for (let one = lines.shift(); one !== undefined; one = lines.shift()) {
    const { file, start, end } = one;
    if (!chosen.some((other) => other.file === file && start < other.end && other.start < end)) return one;
  }
  return null;
}

type Line = readonly [name: string, options: readonly [Drawn, ...Drawn[]]];

function mutationsByLine(sources: Sources): Line[] {
  const lines = new Map<string, [Drawn, ...Drawn[]]>();
  for (const [file, source] of sources) {
    // A migration that was released stays as it is.
    if (file.includes("/migrations/") || ENDS_PROCESSES.test(file)) continue;
    for (const mutation of findMutations(source)) {
      const { start, end, line } = mutation;
      if (ENDS_PROCESS.test(source.slice(start, end))) continue;
      const key = `${file}:${line}`;
      const known = lines.get(key);
      if (known === undefined) lines.set(key, [{ ...mutation, file }]);
      else known.push({ ...mutation, file });
    }
  }
  return [...lines];
}

/** Orders the lines of an area, and the mutations of a line, by chance. */
function draw(seed: number, name: string): string {
  return createHash("sha256").update(`${seed} ${name}`).digest("hex");
}
