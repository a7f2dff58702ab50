// Streams of runs as a model makes them, drawn by a seed: turns that think, speak and call, some at once, some cut off.

import type { RunEvent } from "../../../src/contract/runs/run-event.ts";
import { callResult, callStart, message, notice, resumed, started, succeeded } from "../streams.ts";

/** Mulberry32: the same numbers for the same seed. */
export function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function thought(id: string, text: string): RunEvent[] {
  return [
    { type: "REASONING_START", messageId: id },
    { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: id, delta: text },
    { type: "REASONING_MESSAGE_END", messageId: id },
    { type: "REASONING_END", messageId: id },
  ];
}

const tools = ["read_file", "read_file", "search", "git_log", "run_command", "edit_file"] as const;
const results: Readonly<Record<(typeof tools)[number], readonly string[]>> = {
  read_file: ["let a = 1;\n", "let b = 2;\n", "error: there is no such file"],
  search: ["src/a.ts:1: a", "nothing"],
  git_log: ["4f2a1c0 first"],
  run_command: ["ok\n[exit code 0]", `${"line\n".repeat(60)}not ok\n[exit code 1]`],
  edit_file: ["edited", "error: no match"],
};

/** About `turns` turns. The run has ended at their end. */
export function randomRun(seed: number, turns: number): readonly RunEvent[] {
  const next = numbersOf(seed);
  const chance = (part: number) => next() < part;
  const pick = <One>(ones: readonly [One, ...One[]] | readonly One[]): One => {
    const one = ones[Math.floor(next() * ones.length)];
    if (one === undefined) throw new Error("There is nothing to pick.");
    return one;
  };
  let ids = 0;
  const id = (kind: string) => {
    ids += 1;
    return `${kind}-${ids}`;
  };
  const events: RunEvent[] = [started];
  for (let turn = 1; turn <= turns; turn += 1) {
    if (chance(0.3)) events.push(...thought(id("thought"), `I think about ${turn}.`));
    if (chance(0.4)) events.push(...message(id("message"), `I look `, `at part ${turn}.`));
    if (chance(0.05)) events.push(...message(id("message"), ""));
    const calls = Array.from({ length: Math.floor(next() * 4) }, () => ({
      id: id("call"),
      tool: pick(tools),
    }));
    for (const { id: callId, tool } of calls)
      events.push(
        ...callStart(
          callId,
          tool,
          tool === "run_command" ? { command: "npm test" } : { path: `src/${turn}.ts` },
        ),
      );
    const isLost = chance(0.08);
    for (const { id: callId, tool } of chance(0.3) ? calls.toReversed() : calls)
      if (!isLost || chance(0.5)) events.push(callResult(callId, pick(results[tool])));
    if (isLost) events.push(resumed(turn, "lost_worker", "run_command"));
    if (chance(0.08)) events.push(notice(`The model is asked again: ${turn}.`));
    if (chance(0.08)) events.push({ type: "STEP_STARTED", stepName: `Step ${turn}` });
  }
  return [...events, ...message(id("message"), "It is **done**."), succeeded];
}
