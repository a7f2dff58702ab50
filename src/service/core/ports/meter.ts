// The port to whatever counts what the service does. Implemented in service/metrics.ts; nothing here may fail or wait.

import type { RunCause, TerminalRunStatus } from "../../../contract/runs/run.ts";

export interface Meter {
  /** `route` is the pattern, never the path: a path holds ids. */
  requestAnswered(answer: { method: string; route: string; status: number; durationMs: number }): void;
  /** `outcome` is "ok", or the reason or code of the refusal. */
  exchangeAnswered(outcome: string): void;
  runEnded(ending: { status: TerminalRunStatus; cause: RunCause | null }): void;
  /** One committed write of so many events. */
  eventsAppended(count: number): void;
  /** A reader begins to wait for a run to move; each is followed by `pollResumed`. */
  pollWaits(): void;
  pollResumed(): void;
  /** All that was counted, as a scraper reads it. Null when nobody counts. */
  exposition(): Promise<Exposition | null>;
}

export type Exposition = { readonly contentType: string; readonly text: string };

/** Counts nothing. */
export const noMeter: Meter = {
  requestAnswered: () => {},
  exchangeAnswered: () => {},
  runEnded: () => {},
  eventsAppended: () => {},
  pollWaits: () => {},
  pollResumed: () => {},
  exposition: async () => null,
};
