// No regular expression or parser of ours reads text of others without a bound: four times the text takes no more than
// eight times the CPU, whatever the text. Anybody can write a comment; one must not hold a job or the service.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { otherText } from "./other-text.ts";
import { type Parser, parsers, type WorstText } from "./parsers.ts";

const SHORT_CHARS = 16 * 1024;
const MAX_RATIO = 8;
const TRIES = 12;
/** What a quadratic parser takes for the long text is far above it. */
const NEGLIGIBLE_MS = 25;
/** The clock of a thread's CPU ticks every four milliseconds in some kernels. */
const SHORT_ROUNDS = 4;

const SRC = join(import.meta.dirname, "../../src");
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));

describe("a parser of outside text", () => {
  it.each(parsers)("takes CPU in proportion to the text: $name", ({ run, worst, shortChars }) => {
    for (const text of worst) {
      const ratio = bestRatio(run, text, shortChars);
      expect(ratio, `CPU of four times ${JSON.stringify(text)}`).toBeLessThanOrEqual(MAX_RATIO);
    }
  });

  it("is told from one that is quadratic", () => {
    const backtracking = (text: string) => /^a*a*b/.test(text);
    expect(bestRatio(backtracking, "a", 4_096)).toBeGreaterThan(MAX_RATIO);
  });

  it("is in the table when it has a regular expression that repeats, or is named here with the reason", () => {
    const listed = new Set([...parsers.map(({ file }) => file), ...Object.values(otherText).flat()]);
    const repeating = sources.filter((file) => repeats(readFileSync(join(SRC, file), "utf8")));
    expect(repeating.length).toBeGreaterThan(50);
    expect(repeating.filter((file) => !listed.has(file))).toEqual([]);
    expect(
      Object.values(otherText)
        .flat()
        .filter((file) => !repeating.includes(file)),
    ).toEqual([]);
  });
});

/** Whether a regular expression of the file repeats something more than nine times. */
function repeats(source: string): boolean {
  const code = source.replaceAll(/^\s*\/(?:\*[\s\S]*?\*\/|\/.*$)/gm, "");
  const literals = code.matchAll(
    /(?:^|[\s(,=:[!&|?{;])(\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/)[dgimsuvy]*(?=[\s,;).\]:}]|$)/gm,
  );
  return [...literals].some(([, literal = ""]) => {
    const bare = literal.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "x");
    return /[*+]|\{\d+,(?:\d{2,})?\}/.test(bare);
  });
}

/** The best of the tries; 0 where the long text takes next to nothing. */
function bestRatio(run: Parser["run"], text: WorstText, shortChars = SHORT_CHARS): number {
  const [short, long] = [textOf(text, shortChars), textOf(text, 4 * shortChars)];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    longMs = Math.min(
      longMs,
      cpuMs(() => run(long)),
    );
    if (longMs < NEGLIGIBLE_MS) return 0;
    shortMs = Math.min(shortMs, cpuMs(() => repeat(SHORT_ROUNDS, () => run(short))) / SHORT_ROUNDS);
    if (longMs / shortMs <= MAX_RATIO) break;
  }
  return longMs / shortMs;
}

function repeat(times: number, work: () => unknown): void {
  for (let round = 0; round < times; round += 1) work();
}

function textOf(text: WorstText, chars: number): string {
  const [before, unit, after] = typeof text === "string" ? ["", text, ""] : text;
  return before + unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars) + after;
}

/** Of this thread: what the collector and the compiler do meanwhile is not the parser's. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
