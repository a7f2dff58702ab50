// The delay of the event loop: the time that whatever is ready waits for its turn. It grows first when a node is overloaded.

import { monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

/** The interval at which it is looked at. */
const RESOLUTION_MS = 20;
/** The time, about, that a reported delay is of. */
const WINDOW_MS = 5_000;
const NANO = 1_000_000;

export type EventLoopDelay = {
  /** The longest delay of the last seconds, in milliseconds. */
  readonly maxMs: number;
  stop(): void;
};

/** Wakes the process 50 times a second, until it is stopped. */
export function watchEventLoopDelay(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let before = 0;
  const turn = () => {
    before = longest(histogram);
    histogram.reset();
  };
  const timer = setInterval(turn, WINDOW_MS).unref();
  return {
    get maxMs() {
      return Math.max(before, longest(histogram));
    },
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

/** The library counts from its last look: what is on time is one resolution late. */
function longest(histogram: Pick<RecordableHistogram, "count" | "max">): number {
  if (histogram.count === 0) return 0;
  return Math.max(0, Math.round(histogram.max / NANO) - RESOLUTION_MS);
}
