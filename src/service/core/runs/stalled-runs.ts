// Gives back runs whose worker, on whatever node, sends no heartbeat any more, or ends those that have no journal, and those that
// wait in vain for a node that knows the version of theirs. Every node sweeps; one of them does it.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import type { Core } from "../core.ts";
import type { RunAtWork } from "./queue-port.ts";
import { type Abandoned, endReleased, settleAbandoned } from "./recover-runs.ts";
import { JOURNAL_VERSION } from "./run-journal.ts";
import { stalledEnding } from "./run-machine.ts";

/** How long a run whose journal is of a newer version of the program waits for a node of that version. */
export const NEWER_NODE_MS = 600_000;

type Watched = { readonly heartbeatAt: number | null; readonly fence: number; readonly sinceMs: number };

export class StalledRuns {
  readonly #core: Core;
  readonly #stalledMs: number;
  readonly #elapsedMs: () => number;
  #watched = new Map<string, Watched>();
  /** Runs that this node cannot go on with, by id and fence, and since when they have been waiting. */
  #newer = new Map<string, number>();
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
      return settled + (await this.#endNewer(nowMs));
    } catch (cause) {
      // While the store does not answer, no heartbeat can be written: the measurement begins anew.
      this.#watched.clear();
      log.warn({ err: cause }, "sweep for stalled runs failed");
      return 0;
    }
  }

  async #endNewer(nowMs: number): Promise<number> {
    const { log, store } = this.#core;
    const runs = await store.committed.queue.listNewer(JOURNAL_VERSION);
    const before = this.#newer;
    this.#newer = new Map(
      runs.map(({ id, fence }) => [`${id} ${fence}`, before.get(`${id} ${fence}`) ?? nowMs]),
    );
    let ended = 0;
    for (const { id: runId, fence } of runs) {
      const sinceMs = this.#newer.get(`${runId} ${fence}`) ?? nowMs;
      if (nowMs - sinceMs < NEWER_NODE_MS || (await endReleased(this.#core, runId, { fence })) === null)
        continue;
      log.warn({ run_id: runId }, "run ended: no node knows the version of its journal");
      ended += 1;
    }
    return ended;
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
