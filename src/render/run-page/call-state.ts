// The state of a tool call. Pure.

import type { ToolCall } from "../../report/run-report.ts";

type CallState = "running" | "cut-off" | "failed" | "done";

export function stateOf({ endedAtMs, isCutOff, hasFailed }: ToolCall): CallState {
  if (endedAtMs === null) return "running";
  if (isCutOff) return "cut-off";
  return hasFailed ? "failed" : "done";
}

/** A shape of its own for each. */
export const stateMarks: Readonly<Record<CallState, string>> = {
  running: "◌",
  "cut-off": "–",
  failed: "✗",
  done: "✓",
};
