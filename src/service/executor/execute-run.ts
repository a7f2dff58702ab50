// Executes one taken run: opens its checkout, runs its backend, and returns the ending.

import type { RunCause } from "../../contract/runs/run.ts";
import type { Agent } from "../core/agents/agent.ts";
import type { Core } from "../core/core.ts";
import { costOfTime } from "../core/money/run-price.ts";
import type { CheckoutProvider, CheckoutSource } from "../core/ports/checkout.ts";
import { generationsLeft } from "../core/runs/delegate-run.ts";
import { raiseHold, type TakenRun, takeFreeCall } from "../core/runs/progress-run.ts";
import { cancelledEnding, type Ending, interruptedEnding } from "../core/runs/run-machine.ts";
import type { RunInput } from "../core/runs/run-record.ts";
import type { Usage } from "../core/runs/usage.ts";
import { readHistory } from "../core/sessions/session-history.ts";
import { type Backend, BackendFailure, type BackendOutcome, type BackendTask } from "./backend.ts";
import { type ChangesOptions, reportChanges, restoreChanges } from "./carried-changes.ts";
import { runChild } from "./child-runs.ts";
import { EventMask } from "./event-mask.ts";
import { type EventWriter, StreamLimitError } from "./event-writer.ts";
import { HeldCheckout } from "./held-checkout.ts";
import type { SecretMask } from "./secret-mask.ts";
import { untilTurn } from "./session-turn.ts";
import { RunStopped, type StopKind } from "./stop-reason.ts";
import { backendSpan } from "./trace-run.ts";
import { UsageMeter } from "./usage-meter.ts";

export type Work = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly backends: readonly Backend[];
  readonly checkouts: CheckoutProvider;
  readonly writer: EventWriter;
  /** Secrets that nothing of this run may show. Its backend adds to them. */
  readonly secrets: SecretMask;
  /** Lets another worker take this one's place for as long as `wait` takes. */
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Aborts with a RunStopped. */
  readonly signal: AbortSignal;
  /** Aborts when the service waits no longer. */
  readonly isOver: AbortSignal;
};

export type WorkDone = {
  readonly ending: Ending;
  readonly usage: Usage;
  /** Whether the backend has delegated, or tried to. It cannot any more. */
  readonly hasDelegated: boolean;
  /** Resolves when the checkout is removed: for a stopped run, once its backend has ended. Never rejects. */
  readonly cleaned: Promise<void>;
};

/** Never rejects: every failure is an ending. The checkout is removed, maybe later: see `cleaned`. */
export async function executeRun(work: Work): Promise<WorkDone> {
  const { core, taken } = work;
  const { id: runId, fence, holdMicroUsd, price } = taken.run;
  const begunAt = core.clock.monotonic();
  const meter = new UsageMeter({
    holdMicroUsd,
    raiseHold: (microUsd) => raiseHold(core, { runId, fence, microUsd }),
    costOfTime: () => costOfTime(price, core.clock.monotonic() - begunAt),
    toolRates: core.rates.tools,
    takeFreeCall: (rate) => takeFreeCall(core, { run: taken.run, rate }),
  });
  const held = new HeldCheckout({ core, runId, isOver: work.isOver });
  const delegations = new Delegations();
  const ending = await endingOfWork(work, { meter, held, delegations });
  delegations.close();
  const cleaned = held.remove();
  if (!held.isInUse) await cleaned;
  return { ending, usage: meter.usage, hasDelegated: delegations.hasBegun, cleaned };
}

async function endingOfWork(
  work: Work,
  { meter, held, delegations }: { meter: UsageMeter; held: HeldCheckout; delegations: Delegations },
): Promise<Ending> {
  const { core, taken, signal } = work;
  const runId = taken.run.id;
  try {
    const agent = await core.store.committed.agents.find(taken.run.agentId);
    const backend = work.backends.find((candidate) => candidate.name === agent?.backend);
    if (agent === null || backend === undefined) {
      return failed("spawn_failed", `This service has no backend named "${agent?.backend ?? ""}".`);
    }
    const generations = await generationsLeft(core.store.committed.runs, taken.run);
    const task = taskOf(work, { agent, meter, generations, delegations });
    const ask = (run: () => Promise<BackendOutcome>) =>
      core.tracer.trace(backendSpan(backend), () => untilStopped(run(), signal));
    if (!backend.needsCheckout) {
      return completed(await showOpening(work, () => ask(() => backend.run(task))));
    }
    core.signals.opened(runId);

    const source = sourceOf(taken.input, runId);
    const repository = agent?.repository ?? null;
    if (source === null && repository !== null) return failed("spawn_failed", noCommitText(repository.name));
    if (backend.changesCheckout === true) await untilTurn({ ...work, run: taken.run });
    const opened = await core.tracer.trace({ name: "open checkout" }, async (span) => {
      const opening =
        source === null
          ? await work.checkouts.openEmpty({ runId }, signal)
          : await work.checkouts.open(source, signal);
      if (!opening.ok) span.fail(opening.refusal.reason);
      return opening;
    });
    if (opened.ok) held.hold(opened.value);
    signal.throwIfAborted();
    if (!opened.ok) {
      return failed("spawn_failed", opened.refusal.detail, opened.refusal.reason === "clone_timed_out");
    }
    const given = { ...task, ...(source ?? { repository: null }) };
    if (backend.changesCheckout !== true)
      return completed(await ask(() => held.use(backend.run(given, opened.value), backend.stopsWithinMs)));
    const copy = await restoreChanges(core, { run: taken.run, checkout: opened.value });
    try {
      const run = () => backend.run({ ...given, carriedState: copy }, opened.value);
      return completed(await ask(() => held.use(run(), backend.stopsWithinMs)));
    } finally {
      await emitChanges(work, { held, checkout: opened.value, copy });
    }
  } catch (cause) {
    if (cause instanceof RunStopped) return endingOf(cause.kind);
    if (cause instanceof BackendFailure) {
      const ending = failed("backend_error", work.secrets.apply(cause.message), cause.isRetryable);
      return cause.chargedFor === null ? ending : { ...ending, chargedFor: cause.chargedFor };
    }
    if (cause instanceof StreamLimitError) {
      const ending = failed("backend_error", `${cause.message} Ask for less in one run.`);
      return { ...ending, chargedFor: "answered" };
    }
    core.log.error({ run_id: runId, err: cause }, "backend failed");
    return failed("backend_error", "The agent's backend failed. Run it again.", true);
  }
}

/** Wakes the readers of a run that has started, unless it ends within this turn of the event loop: its end wakes them. */
async function showOpening<Value>({ core, taken }: Work, run: () => Promise<Value>): Promise<Value> {
  const waking = setImmediate(() => core.signals.opened(taken.run.id));
  try {
    return await run();
  } finally {
    clearImmediate(waking);
  }
}

/** What the run works on. With a pull request it is that pull request's head, trusted as an outsider's. */
function sourceOf({ job, pullRequest }: RunInput, runId: string): CheckoutSource | null {
  if (job === null) return null;
  const source = { ...job, runId, repository: job.repository.name };
  if (pullRequest === undefined) return source;
  const { number, headRef, headSha: sha, baseRef } = pullRequest;
  const isJobs = job.ref === headRef.replace(/head$/, "merge");
  return {
    ...source,
    sha,
    ref: headRef,
    event: "pull_request",
    baseRef,
    pullRequest: { number, headRef, isJobs },
  };
}

/** Also for a failed run: the session may continue from there. A stopped run's are reported where its backend ends in time. */
async function emitChanges(
  { core, taken, writer, secrets, signal, isOver }: Work,
  { held, ...left }: Pick<ChangesOptions, "checkout" | "copy"> & { readonly held: HeldCheckout },
): Promise<void> {
  const { run } = taken;
  const emit = async (how: Pick<ChangesOptions, "carry" | "signal">) => {
    const changes = await reportChanges(core, { ...left, ...how, run, secrets });
    if (changes !== null) await writer.emit(changes);
  };
  if (!signal.aborted) return await emit({ carry: "store" });
  const stop = signal.reason instanceof RunStopped ? stopped[signal.reason.kind] : null;
  if (stop === null) return;
  const { carry, withinMs } = stop;
  const isDone = new AbortController();
  const late = new AbortController();
  const giveUp = () => late.abort();
  void core.clock.sleep(withinMs, AbortSignal.any([isOver, isDone.signal])).then(giveUp, giveUp);
  try {
    if (await held.isFreeBefore(late.signal)) await emit({ carry, signal: late.signal });
  } catch (cause) {
    core.log.warn({ run_id: run.id, err: cause }, "changes of a stopped run could not be reported");
  } finally {
    isDone.abort();
  }
}

type StoppedChanges = { readonly withinMs: number; readonly carry: ChangesOptions["carry"] };

/** How long a stopped run waits for its backend, to report its changes. Null: not at all. */
const stopped: Readonly<Record<StopKind, StoppedChanges | null>> = {
  time_limit: { withinMs: 30_000, carry: "store" },
  // Whoever cancels waits for the end, and does not ask for more of the same.
  cancel: { withinMs: 500, carry: "discard" },
  shutdown: null,
  lost: null,
};

function taskOf(
  work: Work,
  {
    agent,
    meter,
    generations,
    delegations,
  }: { agent: Agent; meter: UsageMeter; generations: number; delegations: Delegations },
): BackendTask {
  const { core, taken, writer, secrets, signal, lend } = work;
  const { run, input } = taken;
  const mask = new EventMask(secrets);
  let ids = 0;
  return {
    runId: run.id,
    messages: input.messages,
    model: agent.model,
    advisorMaxSpendMicroUsd: agent.advisorMaxSpendMicroUsd,
    outputSchema: input.outputSchema ?? null,
    carriedState: { state: "fresh" },
    maxTurnTokens: input.maxTurnTokens,
    signal,
    traceparent: () => core.tracer.here(),
    emit: async (event) => {
      signal.throwIfAborted();
      for (const masked of mask.apply(event)) await writer.emit(masked);
    },
    history: (maxChars) => readHistory(core.store.committed, { run, maxChars }),
    generationsLeft: generations,
    delegate: (task) => delegations.begin(() => runChild({ core, parent: taken, signal, lend }, task)),
    meter,
    secrets,
    nextId: (kind) => {
      ids += 1;
      return `${kind}-${ids}`;
    },
  };
}

/** What a run's backend has delegated: none is begun once the run is about to end, which ends its children with it. */
class Delegations {
  hasBegun = false;
  #isClosed = false;

  async begin<Value>(delegate: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw new Error("The run has ended: it delegates nothing any more.");
    this.hasBegun = true;
    return await delegate();
  }

  close(): void {
    this.#isClosed = true;
  }
}

function noCommitText(repository: string): string {
  return `Only a job of ${repository} says which commit to read, and none asked for this run. Start it from the repository's CI.`;
}

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts, even if the backend ignores the signal. */
async function untilStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function completed({ stopReason }: BackendOutcome): Ending {
  return { status: "completed", stopReason };
}

function failed(cause: RunCause, message: string, retryable = false): Extract<Ending, { status: "failed" }> {
  return { status: "failed", cause, message, retryable };
}

function endingOf(kind: StopKind): Ending {
  switch (kind) {
    case "cancel":
      return cancelledEnding;
    case "time_limit":
      return {
        status: "failed",
        cause: "time_limit",
        message: "The run reached the time limit of this service. Ask for less in one run.",
        retryable: false,
      };
    case "shutdown":
    case "lost":
      return interruptedEnding;
  }
}
