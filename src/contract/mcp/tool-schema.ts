// What a tool takes or answers: a schema and a text for each of its fields. Pure.

import * as z from "zod/mini";
import type { Component } from "../component.ts";

/** A tool waits this long at most: most clients give up after a minute. */
export const MAX_TOOL_WAIT_SECONDS = 45;
export const DEFAULT_TOOL_WAIT_SECONDS = 30;

export type ToolSchema<Schema extends z.ZodMiniType = z.ZodMiniType> = {
  readonly schema: Schema;
  readonly rules: Component["rules"];
};

export function toolSchema<Schema extends z.ZodMiniType>(
  schema: Schema,
  rules: Component["rules"] = {},
): ToolSchema<Schema> {
  return { schema, rules };
}

/** How long a call waits for a run. */
export const waitSecondsSchema = z._default(
  z.int().check(z.minimum(0), z.maximum(MAX_TOOL_WAIT_SECONDS)),
  DEFAULT_TOOL_WAIT_SECONDS,
);

export const fieldText = {
  agent: "The agent: its id, or its name.",
  wait: "How long to wait for the run to end, in seconds. A run that has not ended by then goes on: call get_run_result with its run_id.",
  key: "Makes the call safe to repeat for 24 hours: the same key gives the same run. Without it each call starts a run, also one that repeats a call whose answer was lost.",
} as const;
