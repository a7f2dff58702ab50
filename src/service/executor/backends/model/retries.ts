// Retries of a request to a model, and their waits: within the time that the run has left. Pure.

import { type BackoffPolicy, nextDelayMs } from "../../../../base/backoff.ts";
import type { CallFailure } from "./call-failure.ts";

/** Some six minutes in all. */
const backoff: BackoffPolicy = { attempts: 12, firstDelayMs: 1_000, maxDelayMs: 60_000 };
/** The run goes on without these roles. */
const ATTEMPTS_OF_OTHERS = 4;
/** An address that has never answered is likely wrong: some 14 seconds. */
const ATTEMPTS_OF_UNKNOWN_ADDRESS = 5;
/** Each answer that was cut is paid. */
const MAX_CUT_ANSWERS = 5;
/** A server that was silent for minutes is asked once more. */
const MAX_LATE_ANSWERS = 2;
/** The time that a run needs after a wait to be worth it. */
const RESERVE_MS = 60_000;
/** With another model at hand the run does not wait for longer, nor try more often. */
const MAX_WAIT_BEFORE_FALLBACK_MS = 60_000;
const TRIES_BEFORE_FALLBACK = 3;

type FailedTry = {
  readonly failure: CallFailure;
  /** Some of the answer had come. */
  readonly wasCut: boolean;
};

export class ModelRetries {
  readonly #isExecutor: boolean;
  readonly #hasAnswered: boolean;
  #failed = 0;
  #cut = 0;
  #late = 0;

  /** `hasAnswered`: the API has, in this run. */
  constructor({ isExecutor, hasAnswered }: { isExecutor: boolean; hasAnswered: boolean }) {
    this.#isExecutor = isExecutor;
    this.#hasAnswered = hasAnswered;
  }

  count({ failure, wasCut }: FailedTry): void {
    this.#failed += 1;
    if (wasCut) this.#cut += 1;
    if (failure.kind === "late") this.#late += 1;
  }

  /** Whether another model of the same API should answer, after a failure that was counted. */
  isForAnother(failure: CallFailure): boolean {
    switch (failure.kind) {
      case "gone":
      case "spent":
        return true;
      case "busy":
      case "down":
        return (
          this.#failed >= TRIES_BEFORE_FALLBACK || (failure.retryAfterMs ?? 0) > MAX_WAIT_BEFORE_FALLBACK_MS
        );
      case "late":
        return this.#late >= MAX_LATE_ANSWERS;
      default:
        return false;
    }
  }

  /** The wait before the next try, after a failure that was counted; null: there is none. */
  delayMs(
    failure: CallFailure,
    { timeLeftMs, random }: { readonly timeLeftMs: number; readonly random: number },
  ): number | null {
    if (
      failure.kind !== "busy" &&
      failure.kind !== "down" &&
      failure.kind !== "unreachable" &&
      failure.kind !== "late"
    )
      return null;
    if (this.#cut >= MAX_CUT_ANSWERS || this.#late >= MAX_LATE_ANSWERS) return null;
    const retryAfterMs = failure.kind === "late" ? undefined : failure.retryAfterMs;
    const policy = {
      ...backoff,
      attempts: this.#attempts(failure),
      // The server knows better, as long as the run has the time.
      maxDelayMs:
        retryAfterMs === undefined || !this.#isExecutor
          ? backoff.maxDelayMs
          : Math.max(backoff.maxDelayMs, timeLeftMs),
    };
    const delayMs = nextDelayMs(policy, { attempt: this.#failed, retryAfterMs, random });
    return delayMs === null || delayMs + RESERVE_MS > timeLeftMs ? null : delayMs;
  }

  #attempts(failure: CallFailure): number {
    const { kind } = failure;
    if ("attempts" in failure && failure.attempts !== undefined) return failure.attempts;
    if (!this.#isExecutor) return ATTEMPTS_OF_OTHERS;
    return kind === "unreachable" && !this.#hasAnswered ? ATTEMPTS_OF_UNKNOWN_ADDRESS : backoff.attempts;
  }
}
