// The tokens of a turn, and the event that tells of them. No job reads it: its schema is in none of the Action's files. Pure.
// Why: docs/decisions/164-turns-say-their-tokens.md

import * as z from "zod/mini";
import { field, object } from "../field.ts";

export const TURN_USAGE_EVENT = "turn_usage";

/** Tokens of one model call, or of several. */
const tokens = z.int().check(z.minimum(0));

export const turnRoles = ["executor", "explorer", "advisor", "reviewer"] as const;
export type TurnRole = (typeof turnRoles)[number];

/**
 * The usage of a turn, once it is over: one event for each model in each role that was asked in it. Each turn is told once, whoever has
 * executed it. A request whose answer was lost with its worker is in no turn, and yet in the run's cost.
 */
export const turnUsageEventSchema = object({
  type: field(z.literal("CUSTOM"), "What happened."),
  name: field(z.literal(TURN_USAGE_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      turn: field(
        z.int().check(z.minimum(1)),
        "The turn: 1, 2, 3 …. Of another coding agent the prompt: 1, or 2 where it had to repair its reply.",
      ),
      role: field(
        z.enum(turnRoles),
        "Who was asked: the agent itself (`executor`), one of its explorers (`explorer`), its `advisor`, or its `reviewer`.",
      ),
      model: field(z.optional(z.string()), "The model. Absent where nobody knows it."),
      requests: field(
        z.optional(z.int().check(z.minimum(1))),
        "The requests of the turn. Absent where a coding agent reports only their sum.",
      ),
      uncached_input_tokens: field(tokens, "Input that did not come from a cache."),
      cached_input_tokens: field(tokens, "Input that came from a cache."),
      output_tokens: field(tokens, "Output."),
      context_tokens: field(
        z.optional(tokens),
        "Input and output of the largest request: what it took of the context window.",
      ),
      context_window: field(
        z.optional(z.int().check(z.minimum(1))),
        "The tokens that a request may have, its answer included, as this service keeps to it.",
      ),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

export type TurnUsageEvent = z.infer<typeof turnUsageEventSchema>;
export type TurnUsage = TurnUsageEvent["value"];

/** What an event says of a turn; null where it is another one. */
export function turnUsageOf(event: { readonly type: unknown }): TurnUsage | null {
  if (!("name" in event) || event.name !== TURN_USAGE_EVENT) return null;
  const parsed = turnUsageEventSchema.safeParse(event);
  return parsed.success ? parsed.data.value : null;
}
