// The work of a node without a request: it takes up what an earlier process left, executes runs, fires schedules, sweeps, and
// drains at the end.

import { renewDueAccounts } from "../core/accounts/subscriptions.ts";
import { expirePacks } from "../core/commits/expire-packs.ts";
import type { Core } from "../core/core.ts";
import { NODE_BEAT_MS } from "../core/nodes/node.ts";
import { hideNode, showNode } from "../core/nodes/nodes.ts";
import { archiveJournals } from "../core/runs/archives/archive-journals.ts";
import { archiveRuns } from "../core/runs/archives/archive-runs.ts";
import { RunExpiry } from "../core/runs/expire-runs.ts";
import { recoverRuns } from "../core/runs/recover-runs.ts";
import { retryParked } from "../core/runs/retry-parked.ts";
import { StalledRuns } from "../core/runs/stalled-runs.ts";
import type { Firing } from "../core/schedules/fire-schedules.ts";
import type { Executor } from "../executor/executor.ts";
import type { SharedDispatch } from "../executor/shared-dispatch.ts";
import type { ConnectPeers, Peers } from "./peers.ts";
import { Scheduler } from "./scheduler.ts";
import { WorkspaceUpkeep } from "./workspace-upkeep.ts";

/** The interval at which a node counts the queue, in case a signal was lost. */
const QUEUE_POLL_MS = 1_000;
/** The interval at which a node looks for operations of workspaces whose process has died. */
const OPERATION_POLL_MS = 2_000;
/** The interval at which a node renews subscriptions of accounts that make no request. */
const RENEWAL_SWEEP_MS = 60_000;
/** The interval at which a node deletes what has expired. */
const EXPIRY_SWEEP_MS = 10 * 60_000;
/** The interval at which a node moves events of ended runs out of the database: by its first time, nodes of an earlier version are gone. */
const ARCHIVE_SWEEP_MS = 10 * 60_000;
/** The interval at which a node looks for parked runs that are to be tried again. */
const RETRY_SWEEP_MS = 60_000;
/** How long a node that stops tries to say so. */
const HIDE_MS = 1_000;
/** Rows of a table that one transaction deletes. */
const EXPIRED_A_STEP = 2_000;
/** The time for which entries of the audit trail are kept: 90 days. */
const AUDIT_MS = 90 * 24 * 60 * 60_000;
/** Sweeps for stalled runs within the time after which a run has stalled; its worker beats as often. */
export const BEATS_UNTIL_STALLED = 6;

/** One of several nodes on the same database. */
export type SharedNode = {
  readonly peers: Peers;
  readonly connect: ConnectPeers;
  readonly dispatch: SharedDispatch;
  /** A run whose heartbeat stands still for this long has stalled. */
  readonly stalledMs: number;
};

type ServiceNodeOptions = Firing & {
  readonly core: Core;
  readonly executor: Executor;
  /** Removes what an earlier process left on this machine. Null on a node that executes no runs. */
  readonly sweepMachine: (() => Promise<void>) | null;
  /** Null: this process is the only one on its store. */
  readonly shared: SharedNode | null;
  /** The time for which inputs and events of a run are kept after its end; 0 keeps them for good. */
  readonly keptMs: number;
  /** Watches this process until the node is closed. */
  readonly loopDelay: { stop(): void };
};

export class ServiceNode {
  readonly #options: ServiceNodeOptions;
  readonly #scheduler: Scheduler;
  readonly #runExpiry: RunExpiry;
  readonly #workspaces: WorkspaceUpkeep;
  readonly #timers: NodeJS.Timeout[] = [];
  #archiving: Promise<void> | null = null;

  constructor(options: ServiceNodeOptions) {
    this.#options = options;
    const { core, submitter, describe } = options;
    this.#scheduler = new Scheduler({ core, submitter, describe });
    this.#workspaces = new WorkspaceUpkeep(core);
    this.#runExpiry = new RunExpiry(options.core, { keptMs: options.keptMs });
  }

  /** Resolves once runs are executed and schedules fire. Rejects when the other nodes cannot be reached. */
  async start(): Promise<void> {
    const { core, shared, sweepMachine, executor } = this.#options;
    if (shared === null) await this.#recover();
    else await this.#join(shared);
    if (sweepMachine !== null) {
      // A process that outlived the last service may still write into a checkout.
      await sweepMachine();
      executor.start();
    }
    this.#scheduler.start();
    this.#every(OPERATION_POLL_MS, () => this.#workspaces.look()).unref();
    void this.#workspaces.look();
    this.#every(RENEWAL_SWEEP_MS, () => this.#renewSubscriptions());
    this.#every(RETRY_SWEEP_MS, () => retryParked(core)).unref();
    this.#every(EXPIRY_SWEEP_MS, () => this.#sweepExpired()).unref();
    this.#every(ARCHIVE_SWEEP_MS, () => this.#archive()).unref();
    // What the last process left is not there for another ten minutes.
    this.#timers.push(setTimeout(() => void this.#sweepExpired(), 0).unref());
  }

  /** Begins nothing more, and answers every waiting poll. Runs at work go on. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#options.core.signals.close();
    await Promise.all([
      this.#scheduler.stop(),
      this.#runExpiry.stop(),
      this.#workspaces.stop(),
      this.#archiving,
    ]);
  }

  /** Gives runs at work `graceMs`, then ends them as interrupted. */
  async drain(graceMs: number): Promise<void> {
    await this.#options.executor.drain(graceMs);
  }

  /** Leaves the other nodes, once nothing is published any more. */
  async close(): Promise<void> {
    const { core, shared, loopDelay } = this.#options;
    loopDelay.stop();
    if (shared !== null) await this.#hide(core);
    await shared?.peers.close();
  }

  /** The lock of the data folder is this process's: whoever held, worked or wrote before is dead. */
  async #recover(): Promise<void> {
    const { core } = this.#options;
    const { clock, log, store } = core;
    const now = clock.now();
    const step = { begunBefore: Number.MAX_SAFE_INTEGER, now, limit: EXPIRED_A_STEP };
    while ((await store.transact((tx) => tx.blobs.discardUnfinished(step))) > 0);
    const recovered = await recoverRuns(core);
    if (recovered.requeued + recovered.ended > 0) log.info(recovered, "recovered runs");
    const released = await store.transact(async (tx) => ({
      copies: await tx.copies.releaseAll(),
      operations: await tx.operations.releaseAll(),
    }));
    if (released.copies + released.operations > 0)
      log.info(released, "released what the last process held in workspaces");
  }

  async #join({ peers, connect, dispatch, stalledMs }: SharedNode): Promise<void> {
    const { core } = this.#options;
    await peers.connect(connect, { signals: core.signals, dispatch });
    const stalled = new StalledRuns(core, { stalledMs, elapsedMs: () => performance.now() });
    this.#every(QUEUE_POLL_MS, () => dispatch.poll());
    this.#every(stalledMs / BEATS_UNTIL_STALLED, () => stalled.sweep());
    this.#every(NODE_BEAT_MS, () => this.#show()).unref();
    await Promise.all([dispatch.poll(), stalled.sweep(), this.#show()]);
  }

  async #show(): Promise<void> {
    const { core } = this.#options;
    await showNode(core).catch((cause: unknown) =>
      core.log.warn({ err: cause }, "this node could not be shown to operators"),
    );
  }

  /** A stop does not wait for a database that is away: operators see the node as lost then. */
  async #hide({ clock, ...core }: Core): Promise<void> {
    const isDone = new AbortController();
    const late = clock.sleep(HIDE_MS, isDone.signal).catch(() => {});
    await Promise.race([hideNode(core).catch(() => {}), late]);
    isDone.abort();
  }

  async #renewSubscriptions(): Promise<void> {
    const { core } = this.#options;
    await renewDueAccounts(core).catch((cause: unknown) => {
      core.log.warn({ err: cause }, "subscriptions could not be renewed");
    });
  }

  async #sweepExpired(): Promise<void> {
    const { log } = this.#options.core;
    const expired = this.#deleteExpired().catch((cause: unknown) =>
      log.warn({ err: cause }, "expiry sweep failed"),
    );
    const packs = expirePacks(this.#options.core).catch((cause: unknown) =>
      log.warn({ err: cause }, "commits that nobody uses could not be deleted"),
    );
    await Promise.all([expired, packs, this.#runExpiry.sweep(), this.#workspaces.sweep()]);
  }

  async #archive(): Promise<void> {
    this.#archiving ??= this.#archiveOnce()
      .catch((cause: unknown) =>
        this.#options.core.log.warn(
          { err: cause },
          "what ended runs have left stays in the database for now",
        ),
      )
      .then(() => {
        this.#archiving = null;
      });
    await this.#archiving;
  }

  async #archiveOnce(): Promise<void> {
    const { core } = this.#options;
    const { clock, commits, log, policy, signals } = core;
    // A node that does not see the blobs of the others would write where they do not look.
    if (policy.archiveMs === null || commits === null || !(await commits.own.areSeen())) return;
    const endedBefore = clock.now() - policy.archiveMs;
    const sweep = { blobs: commits.blobs, endedBefore, isStopped: () => signals.isClosed };
    const runs = await archiveRuns(core, sweep);
    const journals = await archiveJournals(core, sweep);
    if (runs + journals > 0)
      log.info({ runs, journals }, "events and journals of ended runs have left the database");
  }

  /** In steps, each of them short. */
  async #deleteExpired(): Promise<void> {
    const { clock, store } = this.#options.core;
    const now = clock.now();
    const step = { now, auditedBefore: now - AUDIT_MS, limit: EXPIRED_A_STEP };
    while ((await store.transact((tx) => tx.expiry.deleteExpired(step))) > 0);
  }

  /** `work` never rejects. */
  #every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
    const timer = setInterval(() => void work(), ms);
    this.#timers.push(timer);
    return timer;
  }
}
