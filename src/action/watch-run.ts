// Stays with a run until it ends, the job is cancelled, or time is up.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import type { Run } from "../contract/run.ts";
import type { StoredRunEvent } from "../contract/run-event.ts";
import type { Interrupts } from "./signals.ts";

/** From SIGINT on: the runner sends SIGTERM after 7.5 s, and outputs and summary want writing before. */
const INTERRUPT_GRACE_MS = 5_000;
/** From the time limit on: nobody is in a hurry, but the step must end. */
const TIMEOUT_GRACE_MS = 30_000;

export type WatchOptions = {
  readonly client: Pick<Client, "follow" | "cancelRun">;
  readonly agentId: string;
  readonly runId: string;
  readonly interrupts: Pick<Interrupts, "first" | "last">;
  readonly onCancel: "cancel" | "detach";
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onEvent: (stored: StoredRunEvent) => void | Promise<void>;
  /** What a reader of the log should know. */
  readonly onNote: (note: string) => void;
};

export type WatchEnd =
  | { readonly type: "ended"; readonly run: Run; readonly timedOut: boolean }
  /** Asked to stop, but not seen to end. */
  | { readonly type: "stopping"; readonly timedOut: boolean }
  | { readonly type: "detached" };

/** Hands on every event. Rejects as `follow` does, unless the job was cancelled or time was up. */
export async function watchRun(options: WatchOptions): Promise<WatchEnd> {
  const { client, runId, interrupts, clock } = options;
  const stop = new AbortController();
  const over = new AbortController();
  const why = { timedOut: false, detached: false };
  const pending: Promise<void>[] = [];

  const stopWithin = (graceMs: number) => {
    pending.push(clock.sleep(graceMs, over.signal).then(() => stop.abort(), ignore));
  };
  const cancel = (graceMs: number) => {
    stopWithin(graceMs);
    pending.push(requestCancel(options, AbortSignal.any([stop.signal, over.signal])));
  };
  const onInterrupt = () => {
    if (options.onCancel === "detach") {
      why.detached = true;
      stop.abort();
      return;
    }
    options.onNote("The job was cancelled: cancelling the run.");
    cancel(INTERRUPT_GRACE_MS);
  };
  const onTimeout = () => {
    if (interrupts.first.aborted) return;
    why.timedOut = true;
    options.onNote('The run did not end within "timeout-minutes": cancelling it.');
    cancel(TIMEOUT_GRACE_MS);
  };
  const onLastInterrupt = () => stop.abort();

  whenAborted(interrupts.first, { until: over.signal, act: onInterrupt });
  whenAborted(interrupts.last, { until: over.signal, act: onLastInterrupt });
  pending.push(clock.sleep(options.timeoutMs, over.signal).then(onTimeout, ignore));
  try {
    const run = await readToEnd(options, client.follow({ runId, signal: stop.signal }));
    return { type: "ended", run, timedOut: why.timedOut };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return why.detached ? { type: "detached" } : { type: "stopping", timedOut: why.timedOut };
  } finally {
    over.abort();
    await Promise.all(pending);
  }
}

async function readToEnd(options: WatchOptions, followed: ReturnType<Client["follow"]>): Promise<Run> {
  const events = followed[Symbol.asyncIterator]();
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    await options.onEvent(next.value);
  }
}

async function requestCancel(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, agentId, runId } = options;
  try {
    await client.cancelRun({ agentId, runId, signal });
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.code === "run_finished")) return;
    options.onNote(`The run could not be cancelled: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

function whenAborted(signal: AbortSignal, options: { until: AbortSignal; act: () => void }): void {
  if (signal.aborted) options.act();
  else signal.addEventListener("abort", options.act, { once: true, signal: options.until });
}

function ignore(): void {}
