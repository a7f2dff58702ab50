// Ends runs whose worker, on whatever node, sends no heartbeat any more. Every node sweeps; one of them ends each run.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import type { Core } from "../core.ts";
import type { RunAtWork } from "./queue-port.ts";
import { endAbandonedRun } from "./recover-runs.ts";
import { stalledEnding } from "./run-machine.ts";

type Watched = { readonly heartbeatAt: number | null; readonly fence: number; readonly sinceMs: number };

export class StalledRuns {
  readonly #core: Core;
  readonly #stalledMs: number;
  readonly #elapsedMs: () => number;
  #watched = new Map<string, Watched>();
  #sweeping: Promise<number> | null = null;

  /**
   * A run has stalled when its heartbeat does not change for `stalledMs`, measured on this node by `elapsedMs`, a monotonic
   * clock: the clocks of two nodes need not agree.
   */
  constructor(core: Core, options: { stalledMs: number; elapsedMs: () => number }) {
    this.#core = core;
    this.#stalledMs = options.stalledMs;
    this.#elapsedMs = options.elapsedMs;
  }

  /** Reads every run at work, and ends those that have stalled. Returns how many. Never rejects. */
  async sweep(): Promise<number> {
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = null;
    });
    return await this.#sweeping;
  }

  async #sweepOnce(): Promise<number> {
    const { log, store } = this.#core;
    try {
      const runs = await store.committed.queue.listAtWork();
      const nowMs = this.#elapsedMs();
      this.#watched = new Map(runs.map((run) => [run.id, this.#watch(run, nowMs)]));
      let ended = 0;
      for (const [runId, watched] of this.#watched) {
        if (nowMs - watched.sinceMs < this.#stalledMs || !(await this.#end(runId, watched))) continue;
        log.warn({ run_id: runId }, "run stalled");
        ended += 1;
      }
      return ended;
    } catch (cause) {
      // While the store does not answer, no heartbeat can be written: the measurement begins anew.
      this.#watched.clear();
      log.warn({ err: cause }, "sweep for stalled runs failed");
      return 0;
    }
  }

  #watch({ id, heartbeatAt, fence }: RunAtWork, nowMs: number): Watched {
    const before = this.#watched.get(id);
    const isSame = before !== undefined && before.heartbeatAt === heartbeatAt && before.fence === fence;
    return isSame ? before : { heartbeatAt, fence, sinceMs: nowMs };
  }

  async #end(runId: string, { heartbeatAt, fence }: Watched): Promise<boolean> {
    return await endAbandonedRun(this.#core, {
      runId,
      ending: stalledEnding,
      isAbandoned: (run) => run.heartbeatAt === heartbeatAt && run.fence === fence,
    });
  }
}
