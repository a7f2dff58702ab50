// Upkeep of workspaces by a node, without a request: it takes up operations whose process has died, saves what workers left that
// died, and deletes what nothing needs. The code of workspaces is loaded when there is something to do.

import type { Core } from "../core/core.ts";

export class WorkspaceUpkeep {
  readonly #core: Core;
  readonly #stopped = new AbortController();
  #looking: Promise<void> | null = null;
  #sweeping: Promise<void> | null = null;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Takes up what nobody works at. One look at a time. Never rejects. */
  async look(): Promise<void> {
    this.#looking ??= this.#takeUp()
      .catch((cause: unknown) => {
        this.#core.log.warn({ err: cause }, "operations of workspaces could not be taken up, trying again");
      })
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }

  /** Deletes what nothing needs. One sweep at a time. Never rejects. */
  async sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepOnce()
      .catch((cause: unknown) => {
        if (this.#stopped.signal.aborted) return;
        this.#core.log.warn({ err: cause }, "workspaces could not be swept, trying again later");
      })
      .finally(() => {
        this.#sweeping = null;
      });
    await this.#sweeping;
  }

  /** Takes up nothing more, and lets go of what is at work: another node, or the next process, goes on with it. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#core.workspaces?.operations.stop();
    await Promise.all([this.#looking, this.#sweeping]);
  }

  /** A service that never had a workspace loads nothing. */
  async #sweepOnce(): Promise<void> {
    const { store, workspaces } = this.#core;
    if (workspaces === null) return;
    await workspaces.git.sweep();
    if (!(await store.committed.workspaces.hasAny())) return;
    const { sweepWorkspaces } = await import("./workspaces.ts");
    await sweepWorkspaces(this.#core, this.#stopped.signal);
  }

  async #takeUp(): Promise<void> {
    const { clock, store, workspaces } = this.#core;
    if (workspaces === null) return;
    const due = await store.committed.operations.listDue({ limit: 1 });
    const left = await store.committed.workers.listUnsettled({ now: clock.now(), limit: 1 });
    if (due.length === 0 && left.length === 0) return;
    const { settleWorkers, takeUpOperations } = await import("./workspaces.ts");
    await takeUpOperations(this.#core);
    if (left.length > 0) await settleWorkers(this.#core);
  }
}
