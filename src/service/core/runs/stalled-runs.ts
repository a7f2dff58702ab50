// Gives back runs whose worker, on whatever node, sends no heartbeat any more, or ends those that have no journal. Every node sweeps;
// one of them does it.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import type { Core } from "../core.ts";
import type { RunAtWork } from "./queue-port.ts";
import { type Abandoned, settleAbandoned } from "./recover-runs.ts";
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

  /** Reads every run at work, and settles those that have stalled. Returns how many. Never rejects. */
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
      let settled = 0;
      for (const [runId, watched] of this.#watched) {
        if (nowMs - watched.sinceMs < this.#stalledMs) continue;
        const became = await this.#settle(runId, watched);
        if (became === null) continue;
        log.warn({ run_id: runId, run: became }, "run stalled");
        settled += 1;
      }
      return settled;
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

  async #settle(runId: string, { heartbeatAt, fence }: Watched): Promise<Abandoned | null> {
    return await settleAbandoned(this.#core, {
      runId,
      ending: stalledEnding,
      isAbandoned: (run) => run.heartbeatAt === heartbeatAt && run.fence === fence,
    });
  }
}
