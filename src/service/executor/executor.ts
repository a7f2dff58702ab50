// Takes queued runs to their end, a few at a time, and settles each whatever happens.

import { AsyncLocalStorage } from "node:async_hooks";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type { Environments } from "../core/checkouts/environment.ts";
import type { Core } from "../core/core.ts";
import type { EgressProvider } from "../core/egress/run-egress.ts";
import type { SandboxedRun, SandboxPlaces } from "../core/ports/sandbox.ts";
import { StoreUnavailableError } from "../core/ports/store-unavailable.ts";
import type { Span } from "../core/ports/tracer.ts";
import type { TokenRelays } from "../core/run-identity/token-relay.ts";
import { parkRun } from "../core/runs/park-run.ts";
import { appendRunEvents, finishRun, type TakenRun } from "../core/runs/progress-run.ts";
import { leaveRun } from "../core/runs/recover-runs.ts";
import { handOverRun } from "../core/runs/run-journal.ts";
import type { WorkspaceRuns } from "../core/workspaces/runs/run-port.ts";
import type { CheckSandbox } from "./attempts/check-copy.ts";
import type { Backend } from "./backend.ts";
import { EventWriter } from "./event-writer.ts";
import { executeRun } from "./execute-run.ts";
import { Heartbeats } from "./heartbeats.ts";
import { isTakenUp } from "./run-journal.ts";
import { RunLease } from "./run-lease.ts";
import type { RunOffer, RunQueue } from "./run-queue.ts";
import { SecretMask } from "./secret-mask.ts";
import { runSpan, showEnding } from "./trace-run.ts";

/** Grace period of work that was told to stop. */
const STOP_GRACE_MS = 2_000;
const HEARTBEAT_MS = 5_000;
/** The time for which the store may be unavailable, half a minute in all, before a run is left to recovery. */
const STORE_BACKOFF: BackoffPolicy = { attempts: 10, firstDelayMs: 100, maxDelayMs: 10_000 };

type ExecutorOptions = {
  readonly core: Core;
  readonly dispatch: RunQueue;
  readonly checkouts: CheckoutProvider;
  /** Prepares what setup scripts leave. Default: none is executed. */
  readonly environments?: Environments;
  readonly backends: readonly Backend[];
  /** The backend of runs that bring their own access to a model. Rejects where it cannot be opened. */
  readonly openBroughtBackend: () => Promise<Backend>;
  readonly egress: EgressProvider;
  /** Where commands of runs ask for ID tokens. Default: nowhere. */
  readonly tokenRelays?: TokenRelays;
  /** The places of runs in the sandbox. Default: it has none. */
  readonly places?: () => Promise<SandboxPlaces | null>;
  /** Where the checks of attempts are executed. Default: nowhere. */
  readonly checkSandbox?: CheckSandbox;
  /** The source of files for runs of workspaces. Default: none is executed. */
  readonly workspaces?: WorkspaceRuns;
  /** Runs at work at a time. */
  readonly slots: number;
  readonly runTimeLimitMs: number;
  /** Secrets that no event and no patch may show. Default: nothing is known. */
  readonly secrets?: readonly string[];
  /** Interval of heartbeats. Default 5 s. */
  readonly heartbeatMs?: number;
};

export class Executor {
  readonly #options: ExecutorOptions;
  readonly #intake = new AbortController();
  /** Runs that can be taken up by another worker are given back from here on. */
  readonly #leaving = new AbortController();
  readonly #drained = new AbortController();
  readonly #leases = new Map<string, RunLease>();
  readonly #heartbeats: Heartbeats;
  readonly #slots = new Set<Promise<void>>();
  /** Checkouts of ended runs whose backends are still to end. */
  readonly #cleaning = new Set<Promise<void>>();
  /** Runs a function outside of any run's trace: a worker outlives the run that lends it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #secrets: SecretMask;
  /** Workers beyond the slots, because lent workers came back: each ends after its current run. */
  #surplus = 0;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#secrets = new SecretMask(options.secrets);
    this.#heartbeats = new Heartbeats(options.core, options.heartbeatMs ?? HEARTBEAT_MS);
  }

  /** The ids of the runs at work. */
  get runIds(): readonly string[] {
    return [...this.#leases.keys()];
  }

  /** The count of runs at work. */
  get atWork(): number {
    return this.#leases.size;
  }

  start(): void {
    for (let slot = 0; slot < this.#options.slots; slot += 1) this.#addWorker();
  }

  #addWorker(): void {
    const worker: Promise<void> = this.#outside(() => this.#workSlot()).finally(() =>
      this.#slots.delete(worker),
    );
    this.#slots.add(worker);
  }

  /** While a run waits for another run, one more worker is added, so that the other run can be taken. */
  async #lend<Value>(wait: () => Promise<Value>): Promise<Value> {
    if (this.#surplus > 0) this.#surplus -= 1;
    else this.#addWorker();
    try {
      return await wait();
    } finally {
      this.#surplus += 1;
    }
  }

  /**
   * Takes no more runs. Those at work are given back at their next turn, or have `graceMs` to end; then they are given back as
   * they are, or end as interrupted. Resolves when nothing is at work any more. What is queued stays queued.
   */
  async drain(graceMs: number): Promise<void> {
    this.#intake.abort();
    this.#leaving.abort();
    await this.#idleWithin(graceMs);
    for (const lease of this.#leases.values()) lease.stop("shutdown");
    await this.#idleWithin(STOP_GRACE_MS);
    this.#drained.abort();
    for (const runId of this.#leases.keys()) await this.#interrupt(runId);
    await this.#within(STOP_GRACE_MS, Promise.all(this.#cleaning));
  }

  async #idleWithin(ms: number): Promise<void> {
    await this.#within(
      ms,
      Promise.all(this.#slots).then(() => Promise.all(this.#cleaning)),
    );
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const isOver = new AbortController();
    const grace = this.#options.core.clock.sleep(ms, isOver.signal).catch(() => {});
    await Promise.race([work, grace]);
    isOver.abort();
  }

  /** No worker waits for it, `drain` does. */
  #follow(cleaned: Promise<void>): void {
    const cleaning = cleaned.finally(() => this.#cleaning.delete(cleaning));
    this.#cleaning.add(cleaning);
  }

  async #workSlot(): Promise<void> {
    for (;;) {
      if (this.#surplus > 0) {
        this.#surplus -= 1;
        return;
      }
      const offer = await this.#options.dispatch.next(this.#intake.signal);
      if (offer === null) return;
      const runId = typeof offer === "string" ? offer : offer.run.id;
      try {
        await this.#execute(runId, offer);
      } catch (cause) {
        // A failing run must not end its worker, and no run may be left without a worker.
        this.#options.core.log.error({ run_id: runId, err: cause }, "run could not be executed");
        if (!this.#drained.signal.aborted) await this.#interrupt(runId, cause);
      }
    }
  }

  /** Gives back, or ends, a run that no worker has, however long the store is away. What the stop leaves, recovery ends at the next start. */
  async #interrupt(runId: string, why?: unknown): Promise<void> {
    const { core } = this.#options;
    // The store was away: neither the run nor its worker has done anything wrong.
    const after = why instanceof StoreUnavailableError ? "handover" : "lost";
    try {
      const became = await this.#insist(() => leaveRun(core, runId, { after }), { isEndless: true });
      if (became === "released") core.dispatch.requeue(runId);
    } catch (cause) {
      core.log.error({ run_id: runId, err: cause }, "run could not be settled");
    }
  }

  async #execute(runId: string, offer: RunOffer): Promise<void> {
    const held = await this.#take(runId, offer);
    if (held === null) return;
    await this.#options.core.tracer.trace(runSpan(held.taken), (span) => this.#carry(held, span));
  }

  async #carry({ lease, taken }: { lease: RunLease; taken: TakenRun }, span: Span): Promise<void> {
    const { core, backends, openBroughtBackend, checkouts, egress } = this.#options;
    const startedAt = core.clock.monotonic();
    const { id: runId, fence, billingAccount } = taken.run;
    this.#leases.set(runId, lease);
    try {
      const writer = new EventWriter({
        append: (events) => appendRunEvents(core, { runId, fence, events }),
        onStatus: (status) => lease.observe(status),
      });
      const done = await executeRun({
        core,
        taken,
        backends,
        openBroughtBackend,
        checkouts,
        environments: this.#options.environments ?? null,
        egress,
        tokenRelays: this.#options.tokenRelays ?? null,
        enterSandbox: (root) => this.#enterSandbox({ runId, root, onLost: () => lease.stop("sandbox_lost") }),
        checkSandbox: this.#options.checkSandbox ?? null,
        workspaces: this.#options.workspaces ?? null,
        writer,
        timeLimitMs: this.#options.runTimeLimitMs,
        countEarlier: (ms) => lease.countEarlier(ms),
        secrets: this.#secrets.copy(),
        signal: lease.signal,
        lend: (wait) => this.#lend(wait),
        isLeaving: this.#leaving.signal,
        isOver: this.#drained.signal,
      });
      const { ending, leaving, usage, heldMicroUsd, hasDelegated, workedMs, journal, cleaned } = done;
      this.#follow(cleaned);
      const events = await writer.close();
      if (leaving.as === "given_back") {
        if (await this.#insist(() => handOverRun(core, { runId, fence, events }))) {
          core.log.info({ run_id: runId }, "run given back");
          return;
        }
      }
      // A worker that goes on with the run tells of its turn once it has repeated it.
      const last = [...events, ...writer.held];
      if (leaving.as === "parked") {
        const { waitsFor } = leaving;
        const park = { runId, fence, waitsFor, events: last, usage, workedMs, checks: writer.checks };
        if (await this.#insist(() => parkRun(core, park))) {
          core.log.info({ run_id: runId, reason: waitsFor.reason }, "run parked");
          return;
        }
      }
      const isOurs = await core.tracer.trace({ name: "finish" }, () =>
        this.#insist(() =>
          finishRun(core, {
            runId,
            fence,
            billingAccount,
            events: last,
            ending,
            usage,
            hasDelegated,
            hasJournal: journal !== null || isTakenUp(taken),
            hasServerAccess: taken.input.mcpAccess !== undefined,
            run: { ...taken.run, holdMicroUsd: heldMicroUsd },
            workedMs,
            checks: writer.checks,
          }),
        ),
      );
      showEnding(span, isOurs ? ending : null);
      core.log.info(
        {
          run_id: runId,
          ended: isOurs ? ending.status : "lost",
          duration_ms: core.clock.monotonic() - startedAt,
        },
        "run ended",
      );
    } finally {
      lease.release();
      this.#leases.delete(runId);
      core.signals.opened(runId);
    }
  }

  async #enterSandbox(run: SandboxedRun): Promise<() => Promise<void>> {
    const places = (await this.#options.places?.()) ?? null;
    return places === null ? async () => {} : places.enter(run);
  }

  async #take(runId: string, offer: RunOffer): Promise<{ lease: RunLease; taken: TakenRun } | null> {
    const { core, dispatch, runTimeLimitMs: timeLimitMs } = this.#options;
    const options = { core, dispatch, runId, timeLimitMs, heartbeats: this.#heartbeats };
    if (typeof offer !== "string") return { lease: RunLease.hold(options, offer), taken: offer };
    let failure: { readonly cause: unknown } | null = null;
    const held = await this.#insist(() =>
      RunLease.take(options).catch((cause: unknown) => {
        failure = { cause };
        throw cause;
      }),
    );
    // A try that failed may have taken the run all the same, and then nobody works on it.
    const failed = failure as { readonly cause: unknown } | null;
    if (held === null && failed !== null) await this.#interrupt(runId, failed.cause);
    return held;
  }

  /** Repeats what a store that is away for a while refused. `work` is safe to repeat. Rejects as its last try did. */
  async #insist<Value>(work: () => Promise<Value>, { isEndless = false } = {}): Promise<Value> {
    const { clock, log, random } = this.#options.core;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (cause) {
        const planned = nextDelayMs(STORE_BACKOFF, { attempt, random: random.fraction() });
        const delayMs = planned === null && isEndless ? STORE_BACKOFF.maxDelayMs : planned;
        if (delayMs === null || this.#drained.signal.aborted) throw cause;
        log.warn({ err: cause, attempt, delay_ms: delayMs }, "the store failed, trying again");
        await clock.sleep(delayMs, this.#drained.signal).catch(() => {
          throw cause;
        });
      }
    }
  }
}
