// A wait that the run's readers are told of, again and again while it lasts: a job takes a silent run for a stuck one.

import type { Clock } from "../../../../base/clock.ts";

/** A shorter wait is nobody's business. */
export const LEAST_TOLD_MS = 10_000;
const TOLD_EVERY_MS = 240_000;

type ToldWait = {
  /** Why, as sentences. */
  readonly what: string;
  readonly delayMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  say(text: string): Promise<void>;
};

/** Rejects with the signal's reason on abort. */
export async function waitSaying({ what, delayMs, clock, signal, say }: ToldWait): Promise<void> {
  let leftMs = delayMs;
  if (leftMs >= LEAST_TOLD_MS) await say(`Waits ${seconds(leftMs)}. ${what}`);
  while (leftMs > TOLD_EVERY_MS) {
    await clock.sleep(TOLD_EVERY_MS, signal);
    leftMs -= TOLD_EVERY_MS;
    await say(`Still waits for ${seconds(leftMs)}.`);
  }
  await clock.sleep(leftMs, signal);
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
