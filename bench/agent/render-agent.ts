// The tables of the agent's benchmark: one line a task, then the sum. Pure.

import { costOfCall, type ModelPrices } from "../../src/service/core/money/call-price.ts";
import type { Played } from "./play-task.ts";

export type NamedPlay = { readonly name: string; readonly kind: string; readonly played: Played };

/** What went over the wire. It says nothing of tasks that an agent would master. */
export function renderWire(plays: readonly NamedPlay[]): string {
  const rows = plays.map(({ name, kind, played }) => [name, kind, ...wireCells([played])]);
  const sum = ["in sum", `${plays.length} tasks`, ...wireCells(plays.map(({ played }) => played))];
  const heading = [
    "task",
    "kind",
    "requests",
    "first request",
    "sent",
    "of it again",
    "answered",
    "tools called",
    "tool errors",
  ];
  return table([heading, ...rows, sum]);
}

function wireCells(plays: readonly Played[]): string[] {
  const calls = plays.flatMap((played) => played.calls);
  const first = plays.map((played) => played.calls[0]?.sentBytes ?? 0);
  return [
    count(calls.length),
    `${count(Math.max(0, ...first))} B`,
    `${count(sum(calls.map(({ sentBytes }) => sentBytes)))} B`,
    repeatedShare(plays),
    `${count(sum(calls.map(({ answerBytes }) => answerBytes)))} B`,
    count(sum(plays.map(({ toolCalls }) => toolCalls.length))),
    count(sum(plays.map(({ toolErrors }) => toolErrors))),
  ];
}

/** The same plays before and now. */
export function renderWireBeside(before: readonly NamedPlay[], now: readonly NamedPlay[]): string {
  const rows = now.map(({ name, kind, played }, at) => {
    const earlier = before[at];
    return [name, kind, ...besideCells(earlier === undefined ? [] : [earlier.played], [played])];
  });
  const playedOf = (plays: readonly NamedPlay[]) => plays.map(({ played }) => played);
  const total = ["in sum", `${now.length} tasks`, ...besideCells(playedOf(before), playedOf(now))];
  return table([["task", "kind", "requests", "first request", "sent", "of it again"], ...rows, total]);
}

function besideCells(before: readonly Played[], now: readonly Played[]): string[] {
  const [earlier, later] = [before, now].map((plays) => wireCells(plays).slice(0, 4)) as [string[], string[]];
  return later.map((cell, at) => `${earlier[at]} → ${cell}`);
}

/** The part that a cache of prefixes could answer from. */
function repeatedShare(plays: readonly Played[]): string {
  const calls = plays.flatMap((played) => played.calls);
  const sent = sum(calls.map(({ sentBytes }) => sentBytes));
  const repeated = sum(calls.map(({ repeatedBytes }) => repeatedBytes));
  return sent === 0 ? "–" : `${Math.round((100 * repeated) / sent)}%`;
}

/** `prices` null: those of the model are not known. */
export function renderSolved(plays: readonly NamedPlay[], prices: ModelPrices | null): string {
  const rows = plays.map(({ name, kind, played }) => [
    name,
    kind,
    played.isSolved === true ? "solved" : `no (${played.conclusion ?? "no result"})`,
    ...modelCells([played], prices),
  ]);
  const solved = plays.filter(({ played }) => played.isSolved === true).length;
  const all = plays.map(({ played }) => played);
  const total = ["in sum", `${plays.length} tasks`, `${solved} solved`, ...modelCells(all, prices)];
  const heading = ["task", "kind", "solved", "turns", "tokens", "cached", "cost", "tool errors", "time"];
  return table([heading, ...rows, total]);
}

function modelCells(plays: readonly Played[], prices: ModelPrices | null): string[] {
  const calls = plays.flatMap((played) => played.calls).filter(({ status }) => status < 300);
  const counted = calls.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]));
  const input = sum(counted.map((tokens) => tokens.input));
  const cached = sum(counted.map((tokens) => tokens.cached));
  const microUsd =
    prices === null
      ? null
      : sum(
          counted.map(({ written, ...tokens }) =>
            costOfCall(prices, { ...tokens, cachedInput: tokens.cached, cacheWrite: written }),
          ),
        );
  return [
    count(calls.length),
    count(input + sum(counted.map((tokens) => tokens.output))) +
      (counted.length < calls.length ? " or more" : ""),
    input === 0 ? "–" : `${Math.round((100 * cached) / input)}%`,
    microUsd === null ? "not known" : `$${(microUsd / 1_000_000).toFixed(4)}`,
    count(sum(plays.map(({ toolErrors }) => toolErrors))),
    `${(sum(plays.map(({ ms }) => ms)) / 1000).toFixed(1)} s`,
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function count(value: number): string {
  return value.toLocaleString("en");
}
