// The page on which an owner confirms what an AI client has scheduled. Pure.

import type { Policy } from "../core.ts";

export function confirmUrl({ webUrl }: Pick<Policy, "webUrl">, scheduleId: string): string {
  return `${webUrl}/confirm/${scheduleId}`;
}
