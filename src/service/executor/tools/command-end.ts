// The end of a command, in words for the model. Pure.

import { assertNever } from "../../../base/assert-never.ts";
import type { SandboxLimit, SandboxResult } from "../../core/ports/sandbox.ts";

export const MAX_COMMAND_SECONDS = 600;

export function describeEnd({
  exitCode,
  signal,
  limit,
  durationMs,
}: Pick<SandboxResult, "exitCode" | "signal" | "limit" | "durationMs">): string {
  if (limit !== undefined) return explainLimit(limit, durationMs);
  return exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}

function explainLimit(limit: SandboxLimit, durationMs: number): string {
  switch (limit) {
    case "time": {
      const seconds = Math.round(durationMs / 1000);
      return `ended after ${seconds} s, the time limit: do less at once, or set timeout_seconds (at most ${MAX_COMMAND_SECONDS})`;
    }
    case "output":
      return "ended: it wrote more output than is allowed. Write to a file, or less";
    case "memory":
      return "ended: it used more memory than is allowed";
    case "processes":
      return "ended: it started more processes than are allowed";
    case "disk":
      return "ended: its files grew larger than is allowed";
    default:
      return assertNever(limit);
  }
}
