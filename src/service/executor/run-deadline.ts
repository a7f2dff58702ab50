// The deadline of a run: by the service's time limit, and by the time that its submission asked for.

import type { Clock } from "../../base/clock.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { Deadline } from "./backend.ts";

type DeadlineOptions = {
  readonly core: { readonly clock: Clock };
  readonly taken: {
    readonly run: Pick<TakenRun["run"], "submittedAt" | "startedAt">;
    readonly input: Pick<TakenRun["input"], "timeLimitMs">;
  };
  /** Of the service, for each run. */
  readonly timeLimitMs: number;
  /** The time that earlier workers were at the run. */
  readonly earlierMs: number;
};

/**
 * The service's time limit counts the time at work, that of the run's submission from then. What was left at the start is measured by
 * the monotonic clock: the run goes on for as long, however the node's clock is set meanwhile.
 */
export function deadlineOf({ core, taken, timeLimitMs, earlierMs }: DeadlineOptions): Deadline {
  const { input, run } = taken;
  const begunAt = core.clock.monotonic();
  const asked = input.timeLimitMs ?? Number.POSITIVE_INFINITY;
  const waitedMs = Math.max(0, (run.startedAt ?? run.submittedAt) - run.submittedAt);
  const limitMs = Math.min(timeLimitMs, asked - waitedMs);
  return {
    limitMs: Math.min(timeLimitMs, asked),
    leftMs: () => begunAt + limitMs - earlierMs - core.clock.monotonic(),
  };
}
