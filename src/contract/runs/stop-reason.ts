// Why a run stopped by itself. Only after `end_turn` its work is done; `question` waits for an answer. One that could not pay for a
// single call of its model has failed, and says which bound it was. Pure.

export const stopReasons = [
  "end_turn",
  "max_tokens",
  "max_cost",
  "max_turns",
  "time_limit",
  "repeated_calls",
  "length",
  "content_filter",
  "credits",
  "insufficient_credits",
  "no_model",
  "question",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** What cut a run before its work was done. */
export type RunBound = Exclude<StopReason, "end_turn" | "insufficient_credits" | "no_model" | "question">;

/** What may leave nothing for a first call. */
export const spendingStops = [
  "max_tokens",
  "max_cost",
  "insufficient_credits",
] as const satisfies readonly StopReason[];
export type SpendingStop = (typeof spendingStops)[number];
