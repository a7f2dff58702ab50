// A parked run's state, in a few words: the heading of its page, and its row in a list. Pure.

import type { ParkReason } from "../contract/runs/run.ts";

const titles: Readonly<Record<ParkReason, string>> = {
  question: "Waits for an answer",
  max_tokens: "Waits for a higher limit of tokens",
  max_cost: "Waits for a higher limit of cost",
  max_turns: "Waits to be continued: its turns are used up",
  time_limit: "Waits to be continued: its time is used up",
  credits: "Waits for credits",
  day_cap: "Waits for the owner's cap a day",
  provider_unavailable: "Waits for the model's provider",
};

/** A service that is newer may park runs for other reasons. */
export function parkedTitle(reason: string): string {
  return Object.hasOwn(titles, reason) ? titles[reason as ParkReason] : "Waits to be continued";
}
