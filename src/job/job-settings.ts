// The kinds of settings that the Action's inputs and the flags of `agent-service run` share. Pure.

import { type Kind, kind } from "../base/settings/setting.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import { type Conclusion, failableConclusions } from "../report/conclusion.ts";

/** As the service has it: no schema of the contract is loaded before the job has its identity. */
const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
export const MAX_TURN_TOKENS = 5_000_000;
export const DEFAULT_TIMEOUT_MINUTES = 60;
/** Longer than commands and models take; time in the queue does not count. */
export const DEFAULT_IDLE_MINUTES = 20;

export const cancelActions = ["cancel", "detach"] as const;

export type OutputSchema = NonNullable<SubmitRunRequest["output_schema"]>;

export const outputSchema: Kind<OutputSchema> = kind(
  `a JSON Schema: a JSON object of at most ${MAX_OUTPUT_SCHEMA_BYTES} bytes`,
  (text) => {
    const value = Buffer.byteLength(text) > MAX_OUTPUT_SCHEMA_BYTES ? undefined : parseJson(text);
    return isObject(value) ? (value as OutputSchema) : undefined;
  },
);

export const failOn: Kind<ReadonlySet<Conclusion>> = kind(
  `"none" or a comma-separated list of ${failableConclusions.join(", ")}`,
  (text) => {
    if (text === "none") return new Set();
    const words = text.split(/[\s,]+/).filter((word) => word !== "");
    const known = failableConclusions.filter((conclusion) => words.includes(conclusion));
    return words.length > 0 && words.every((word) => known.some((conclusion) => conclusion === word))
      ? new Set(known)
      : undefined;
  },
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
