// Follows one run: long polls by cursor, and hands on each stored event once and in order.

import { type BackoffPolicy, nextDelayMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { isObject } from "../base/json.ts";
import type { CiRunPage } from "../contract/ci/run-page.ts";
import type { Run } from "../contract/runs/run.ts";
import type { PARKED_EVENT, StoredRunEvent } from "../contract/runs/run-event.ts";
import type { CiClient } from "./ci.ts";
import { EventGapError } from "./errors.ts";
import { FOLLOW_RETRY } from "./retry.ts";

const WAIT_SECONDS = 25;
const PAGE_EVENTS = 500;
/** Not imported: the schemas of events are not to load with a client. */
const PARKED: typeof PARKED_EVENT = "parked";
/** A poll that comes back empty sooner than this was not held: the next one is, here. */
const SHORTEST_WAIT_MS = 1000;

/** The options of `runs.follow`. */
export type FollowOptions = {
  /** The run. */
  readonly runId: string;
  /** The last `seq` that is known; 0 begins at the beginning. */
  readonly after?: number;
  /** Ends where the run is parked, too. Default: the stream of a parked run is read on, until it has ended. */
  readonly untilParked?: boolean;
  /** Ends the loop: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The retries after a failure, which start anew after each good answer. Default: several minutes in all. */
  readonly retry?: BackoffPolicy;
};

/** Iterate it once. The generator returns the run that ended, or was parked; `run` and `cursor` tell where it stands. */
export type FollowedRun = {
  /** The run as of the last answer; null before the first. */
  readonly run: Run | null;
  /** The `seq` of the last event that was handed on. */
  readonly cursor: number;
  /** Each stored event, once and in order. Rejects with EventGapError where one is missing for good. */
  [Symbol.asyncIterator](): AsyncGenerator<StoredRunEvent, Run, undefined>;
};

/** What following a run needs. */
export type Follower = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly readRun: CiClient["readRun"];
};

/**
 * Reads until the run has ended, or with `untilParked` is parked, and every event was handed on. Outlives resets, 5xx,
 * 429, timeouts and pages of proxies within `retry`, which starts anew after each good answer. Rejects with
 * EventGapError when an event is missing for good, and with the signal's reason.
 */
export function followRun(follower: Follower, options: FollowOptions): FollowedRun {
  const { runId, signal, retry = FOLLOW_RETRY, untilParked = false } = options;
  const position = { run: null as Run | null, cursor: options.after ?? 0 };

  async function* events(): AsyncGenerator<StoredRunEvent, Run, undefined> {
    let parkedSince: string | null = null;
    let wait = WAIT_SECONDS;
    for (let gaps = 0; ; ) {
      const askedAt = follower.clock.monotonic();
      const page = await follower.readRun({
        runId,
        query: { after: position.cursor, wait, limit: PAGE_EVENTS },
        retry,
        signal,
      });
      position.run = page.run;
      const before = position.cursor;
      for (const stored of page.events) {
        if (stored.seq <= position.cursor) continue;
        if (stored.seq > position.cursor + 1) break;
        position.cursor = stored.seq;
        parkedSince = untilParked ? parkedBy(stored) : null;
        yield stored;
      }
      if (position.cursor > before) gaps = 0;
      if (hasGap(page, position.cursor)) {
        gaps += 1;
        const delayMs = nextDelayMs(retry, { attempt: gaps, random: follower.random() });
        if (delayMs === null) throw new EventGapError(runId, position.cursor);
        await follower.clock.sleep(delayMs, signal);
      } else if (page.done || (parkedSince !== null && isParked(page.run, parkedSince))) {
        return page.run;
      } else if (position.cursor === before) {
        const heldMs = follower.clock.monotonic() - askedAt;
        if (heldMs < SHORTEST_WAIT_MS) await follower.clock.sleep(SHORTEST_WAIT_MS - heldMs, signal);
      }
      // A page may hold an event that is newer than its run: the next one tells whether the run is parked still.
      const isUnsure = position.cursor > before && parkedSince !== null;
      wait = isUnsure ? 0 : WAIT_SECONDS;
    }
  }

  return {
    get run() {
      return position.run;
    },
    get cursor() {
      return position.cursor;
    },
    [Symbol.asyncIterator]: events,
  };
}

/** When the event parked the run; null for every other event. */
function parkedBy({ event }: StoredRunEvent): string | null {
  if (event.type !== "CUSTOM" || !("name" in event) || event.name !== PARKED) return null;
  const { value } = event as { readonly value?: unknown };
  return isObject(value) && typeof value.since === "string" ? value.since : null;
}

/** A run that was continued since has another time, or none. */
function isParked(run: Run, since: string): boolean {
  return run.status === "running" && run.parked?.since === since;
}

/** True when the page knows of an event beyond the cursor that it did not bring in order. */
function hasGap(page: CiRunPage, cursor: number): boolean {
  const last = page.events.at(-1);
  return page.next > cursor || (last !== undefined && last.seq > cursor);
}
