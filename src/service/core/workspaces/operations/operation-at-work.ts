// An operation while this process works at it: it says so again and again, and its end is written with what it did.

import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import {
  OPERATION_KEPT_MS,
  OPERATION_LEASE_MS,
  type Operation,
  type OperationEnd,
  type OperationProgress,
} from "./operation.ts";

/** When a short operation has ended, nobody needs to have seen it running. */
const FIRST_BEAT_MS = 150;

/** Another process took the operation up, or it has ended: nothing that this one does counts. */
export class OperationLostError extends Error {
  override readonly name = "OperationLostError";
  readonly code = "operation_lost";
}

export class OperationAtWork {
  readonly operation: Operation;
  /** Aborts when the operation is another's, and when this process stops. */
  readonly signal: AbortSignal;
  readonly #core: Core;
  readonly #left = new AbortController();
  #progress: OperationProgress;

  constructor(core: Core, { operation, stopping }: { operation: Operation; stopping: AbortSignal }) {
    this.#core = core;
    this.operation = operation;
    this.#progress = operation.progress;
    this.signal = AbortSignal.any([stopping, this.#left.signal]);
  }

  /** Keeps it this process's until `leave`. */
  async hold(): Promise<void> {
    const { clock, log } = this.#core;
    let sleepMs = FIRST_BEAT_MS;
    while (!this.signal.aborted) {
      try {
        await clock.sleep(sleepMs, this.signal);
        if (!(await this.#beat())) this.#left.abort(new OperationLostError(this.operation.id));
      } catch (cause) {
        if (this.signal.aborted) return;
        log.warn({ err: cause, operationId: this.operation.id }, "an operation's lease could not be renewed");
      }
      sleepMs = OPERATION_LEASE_MS / 3;
    }
  }

  /** What its readers are told, from the next time on that it says that it goes on. */
  tell(progress: OperationProgress): void {
    this.#progress = progress;
  }

  /** Does the last of the work and ends the operation, both or neither. Throws an OperationLostError where it is another's. */
  async end(work: (tx: StoreTransaction) => Promise<OperationEnd>): Promise<void> {
    await this.endUnless(work);
  }

  /** The same; where `work` returns null the operation goes on. Returns whether it has ended. */
  async endUnless(work: (tx: StoreTransaction) => Promise<OperationEnd | null>): Promise<boolean> {
    const { store, clock, signals } = this.#core;
    this.signal.throwIfAborted();
    const hasEnded = await store.transact(async (tx) => {
      const end = await work(tx);
      if (end === null) return false;
      const now = clock.now();
      const { id, fence } = this.operation;
      const isOurs = await tx.operations.end({ id, fence, end, now, keptUntil: now + OPERATION_KEPT_MS });
      if (!isOurs) throw new OperationLostError(id);
      return true;
    });
    // What it has moved is told to who follows the workspace.
    if (hasEnded) signals.publish(this.operation.workspaceId);
    return hasEnded;
  }

  /** Works at it no more, and lets another take it up after `delayMs`. `faults` counts how often it failed by a fault of the service. */
  async postpone(delayMs: number, faults: number = this.operation.faults): Promise<void> {
    await this.#renew(delayMs, faults);
    this.#left.abort(new OperationLostError(this.operation.id));
  }

  /** Works at it no more. Where it has not ended and `handsOver` is true, another may take it up at once. */
  async leave({ handsOver }: { handsOver: boolean }): Promise<void> {
    this.#left.abort(new OperationLostError(this.operation.id));
    if (handsOver) await this.#renew(0).catch(() => false);
  }

  async #beat(): Promise<boolean> {
    return await this.#renew(OPERATION_LEASE_MS);
  }

  async #renew(leaseMs: number, faults: number = this.operation.faults): Promise<boolean> {
    const { id, fence } = this.operation;
    const progress = this.#progress;
    return await this.#core.store.transact((tx) =>
      tx.operations.beat({ id, fence, leaseMs, progress, faults }),
    );
  }
}
