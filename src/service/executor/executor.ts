// Takes queued runs to their end, a few at a time, and settles each whatever happens.

import type { Core } from "../core/core.ts";
import type { WorkspaceProvider } from "../core/ports/workspace.ts";
import { appendRunEvents, finishRun } from "../core/progress-run.ts";
import { interruptRun } from "../core/recover-runs.ts";
import type { Backend } from "./backend.ts";
import { carryOut } from "./carry-out.ts";
import { EventWriter } from "./event-writer.ts";
import type { InProcessDispatch } from "./in-process-dispatch.ts";
import { RunLease } from "./run-lease.ts";

/** How long work that was told to stop may take to say so. */
const STOP_GRACE_MS = 2_000;

export type ExecutorOptions = {
  readonly core: Core;
  readonly dispatch: InProcessDispatch;
  readonly workspaces: WorkspaceProvider;
  readonly backends: readonly Backend[];
  /** Runs at work at a time. */
  readonly slots: number;
  readonly runTimeLimitMs: number;
};

export class Executor {
  readonly #options: ExecutorOptions;
  readonly #intake = new AbortController();
  readonly #leases = new Map<string, RunLease>();
  #slots: Promise<void>[] = [];

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#slots = Array.from({ length: this.#options.slots }, () => this.#workSlot());
  }

  /**
   * Takes no more runs, gives those at work `graceMs` to end, then ends them as interrupted. Resolves when nothing is
   * at work any more. What is queued stays queued.
   */
  async drain(graceMs: number): Promise<void> {
    this.#intake.abort();
    await this.#idleWithin(graceMs);
    for (const lease of this.#leases.values()) lease.stop("shutdown");
    await this.#idleWithin(STOP_GRACE_MS);
    for (const runId of this.#leases.keys()) await interruptRun(this.#options.core, runId);
  }

  async #idleWithin(ms: number): Promise<void> {
    const isOver = new AbortController();
    const grace = this.#options.core.clock.sleep(ms, isOver.signal).catch(() => {});
    await Promise.race([Promise.all(this.#slots), grace]);
    isOver.abort();
  }

  async #workSlot(): Promise<void> {
    for (;;) {
      const runId = await this.#options.dispatch.next(this.#intake.signal);
      if (runId === null) return;
      try {
        await this.#execute(runId);
      } catch (cause) {
        // Nothing of a run may end a worker. What is unsettled is put right by recovery at the next start.
        this.#options.core.log.error({ run_id: runId, err: cause }, "run could not be settled");
      }
    }
  }

  async #execute(runId: string): Promise<void> {
    const { core, dispatch, backends, workspaces, runTimeLimitMs } = this.#options;
    const startedAt = core.clock.now();
    const held = await RunLease.take({ core, dispatch, runId, timeLimitMs: runTimeLimitMs });
    if (held === null) return;
    const { lease, taken } = held;
    const { fence } = taken.run;
    this.#leases.set(runId, lease);
    try {
      const writer = new EventWriter({
        append: (events) => appendRunEvents(core, { runId, fence, events }),
        onStatus: (status) => lease.observe(status),
      });
      const { ending, usage } = await carryOut({
        core,
        taken,
        backends,
        workspaces,
        writer,
        signal: lease.signal,
      });
      const events = await writer.close();
      const isOurs = await finishRun(core, { runId, fence, events, ending, usage });
      core.log.info(
        { run_id: runId, ended: isOurs ? ending.status : "lost", duration_ms: core.clock.now() - startedAt },
        "run ended",
      );
    } finally {
      lease.release();
      this.#leases.delete(runId);
    }
  }
}
