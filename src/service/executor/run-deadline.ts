// When a run should be done: by the service's time limit, and by the time that its submission asked for.

import type { Clock } from "../../base/clock.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { Deadline } from "./backend.ts";

export type DeadlineOptions = {
  readonly core: { readonly clock: Clock };
  readonly taken: TakenRun;
  /** Of the service, for each run. */
  readonly timeLimitMs: number;
};

/** The service's time limit counts from now, that of the run's submission from then. */
export function deadlineOf({ core, taken, timeLimitMs }: DeadlineOptions): Deadline {
  const { input, run } = taken;
  const begunAt = core.clock.monotonic();
  const asked = input.timeLimitMs ?? Number.POSITIVE_INFINITY;
  return {
    limitMs: Math.min(timeLimitMs, asked),
    leftMs: () =>
      Math.min(begunAt + timeLimitMs - core.clock.monotonic(), run.submittedAt + asked - core.clock.now()),
  };
}
