// The port to what counts what the service does. Implemented in telemetry/; no method may fail or wait.

import type { RunCause, TerminalRunStatus } from "../../../contract/runs/run.ts";

export interface Meter {
  /** `route` is the pattern, never the path: a path contains ids. */
  requestAnswered(answer: { method: string; route: string; status: number; durationMs: number }): void;
  /** `outcome` is "ok", or the reason or code of the refusal. */
  exchangeAnswered(outcome: string): void;
  runEnded(ending: { status: TerminalRunStatus; cause: RunCause | null }): void;
  /** One committed write of so many events. */
  eventsAppended(count: number): void;
  /** A reader begins to wait for a run to change; each call is followed by one of `pollResumed`. */
  pollWaits(): void;
  pollResumed(): void;
}

/** All counts, in the format of the scraper. */
export type Exposition = { readonly contentType: string; readonly text: string };

/** Counts nothing. */
export const noMeter: Meter = {
  requestAnswered: () => {},
  exchangeAnswered: () => {},
  runEnded: () => {},
  eventsAppended: () => {},
  pollWaits: () => {},
  pollResumed: () => {},
};
