// Follows a run until it ends or is parked, the job is cancelled, or a limit is passed.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import type { Run } from "../contract/runs/run.ts";
import type { StoredRunEvent } from "../contract/runs/run-event.ts";
import type { JobWords } from "./job-words.ts";
import type { Interrupts } from "./signals.ts";

/** After SIGINT. The runner sends SIGTERM after 7.5 s; outputs and summary have to be written before. */
const INTERRUPT_GRACE_MS = 5_000;
/** After a limit was passed. Nothing presses, but the step must end. */
const TIMEOUT_GRACE_MS = 30_000;

type WatchOptions = {
  readonly client: { readonly runs: Pick<Client["runs"], "follow" | "cancel"> };
  readonly agentId: string;
  readonly runId: string;
  readonly interrupts: Pick<Interrupts, "first" | "last">;
  readonly onCancel: "cancel" | "detach";
  readonly timeoutMs: number;
  /** The time that a run which has begun may be silent. Null: without a limit. */
  readonly idleMs: number | null;
  readonly clock: Clock;
  readonly words: JobWords;
  readonly onEvent: (stored: StoredRunEvent) => void | Promise<void>;
  /** Lines for the job's log. */
  readonly onNote: (note: string) => void;
};

/** The limit at which the run was cancelled; null for every other end. */
export type PassedLimit = "time" | "silence" | null;

type WatchEnd =
  /** The run may be parked in place of ended: nobody works on it. */
  | { readonly type: "ended"; readonly run: Run; readonly passed: PassedLimit }
  /** Cancelled, and not seen to end within the grace period. */
  | { readonly type: "stopping"; readonly passed: PassedLimit }
  | { readonly type: "detached" };

/** A sentence without its full stop. */
export function passedText(limit: NonNullable<PassedLimit>, { setting }: JobWords): string {
  return limit === "time"
    ? `The run did not end within ${setting("timeout-minutes")}`
    : `The run was silent for ${setting("idle-minutes")}`;
}

/** Passes every event on. Rejects as `follow` does, unless the job was cancelled or a limit was passed. */
export async function watchRun(options: WatchOptions): Promise<WatchEnd> {
  const { client, runId, interrupts, clock } = options;
  const stop = new AbortController();
  const over = new AbortController();
  const why: { passed: PassedLimit; detached: boolean } = { passed: null, detached: false };
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
    options.onNote(`${options.words.interrupted}: cancelling the run.`);
    cancel(INTERRUPT_GRACE_MS);
  };
  const pass = (limit: NonNullable<PassedLimit>) => {
    if (interrupts.first.aborted || why.passed !== null) return;
    why.passed = limit;
    options.onNote(`${passedText(limit, options.words)}: cancelling it.`);
    cancel(TIMEOUT_GRACE_MS);
  };
  const onTimeout = () => pass("time");
  const onSilence = () => pass("silence");
  const onLastInterrupt = () => stop.abort();

  whenAborted(interrupts.first, { until: over.signal, act: onInterrupt });
  whenAborted(interrupts.last, { until: over.signal, act: onLastInterrupt });
  pending.push(clock.sleep(options.timeoutMs, over.signal).then(onTimeout, ignore));
  const idleTimer = new IdleTimer(options, { signal: over.signal, onSilence });
  try {
    const followed = client.runs.follow({ runId, untilParked: true, signal: stop.signal });
    const run = await readToEnd(followed, async (stored) => {
      idleTimer.restart();
      await options.onEvent(stored);
    });
    return { type: "ended", run, passed: why.passed };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return why.detached ? { type: "detached" } : { type: "stopping", passed: why.passed };
  } finally {
    over.abort();
    await Promise.all([...pending, idleTimer.isOver]);
  }
}

/** Starts with the first event: a run in the queue is not silent. */
class IdleTimer {
  readonly #clock: Clock;
  readonly #idleMs: number | null;
  readonly #timer: { readonly signal: AbortSignal; readonly onSilence: () => void };
  #lastEventMs: number | null = null;
  isOver: Promise<void> = Promise.resolve();

  constructor(
    { clock, idleMs }: Pick<WatchOptions, "clock" | "idleMs">,
    timer: { signal: AbortSignal; onSilence: () => void },
  ) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#timer = timer;
  }

  restart(): void {
    const isFirst = this.#lastEventMs === null;
    this.#lastEventMs = this.#clock.monotonic();
    if (isFirst && this.#idleMs !== null) this.isOver = this.#wait(this.#idleMs).catch(ignore);
  }

  /** One sleep at a time, however many events there are. */
  async #wait(idleMs: number): Promise<void> {
    for (;;) {
      const leftMs = (this.#lastEventMs ?? 0) + idleMs - this.#clock.monotonic();
      if (leftMs <= 0) return this.#timer.onSilence();
      await this.#clock.sleep(leftMs, this.#timer.signal);
    }
  }
}

async function readToEnd(
  followed: ReturnType<Client["runs"]["follow"]>,
  onEvent: (stored: StoredRunEvent) => Promise<void>,
): Promise<Run> {
  const events = followed[Symbol.asyncIterator]();
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    await onEvent(next.value);
  }
}

async function requestCancel(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, agentId, runId } = options;
  try {
    await client.runs.cancel({ agentId, runId, signal });
  } catch (error) {
    if (signal.aborted || (ClientError.is(error) && error.code === "run_finished")) return;
    options.onNote(`The run could not be cancelled: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

function whenAborted(signal: AbortSignal, options: { until: AbortSignal; act: () => void }): void {
  if (signal.aborted) options.act();
  else signal.addEventListener("abort", options.act, { once: true, signal: options.until });
}

function ignore(): void {}
