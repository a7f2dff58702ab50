// Executes one taken run: opens its checkout, runs its backend, and returns the ending.

import { ok, type Result } from "../../base/result.ts";
import type { Agent } from "../core/agents/agent.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type { Environments, PreparedEnvironment } from "../core/checkouts/environment.ts";
import type { Core } from "../core/core.ts";
import type { EgressProvider } from "../core/egress/run-egress.ts";
import { costOfTime } from "../core/money/run-price.ts";
import { isOfStore } from "../core/ports/store-fault.ts";
import type { TokenRelays } from "../core/run-identity/token-relay.ts";
import { generationsLeft } from "../core/runs/delegate-run.ts";
import { raiseHold, type TakenRun, takeFreeCall } from "../core/runs/progress-run.ts";
import { hasAnswered } from "../core/runs/retries.ts";
import {
  cancelledEnding,
  deletedEnding,
  interruptedEnding,
  type RunEnding,
} from "../core/runs/run-machine.ts";
import type { Usage } from "../core/runs/usage.ts";
import type { OpenedWorkspace, WorkspaceRuns } from "../core/workspaces/runs/run-port.ts";
import type { CheckSandbox } from "./attempts/check-copy.ts";
import { executeRace, sessionRunOf } from "./attempts/execute-race.ts";
import type { Backend, BackendOutcome, BroughtModel, RunEnvironment } from "./backend.ts";
import { openBroughtModel } from "./brought-model.ts";
import { carriedStateOf, fresh, restoreChanges } from "./carried-changes.ts";
import { Delegations } from "./delegations.ts";
import { emitChanges } from "./emit-changes.ts";
import type { EventWriter } from "./event-writer.ts";
import { endingOfError, endingOfRefusal, failed, failedUnlessCalled } from "./failed-run.ts";
import { HeldCheckout } from "./held-checkout.ts";
import { endPoisoned } from "./poisoned-run.ts";
import { type EnvironmentOptions, noEnvironment, prepareEnvironment } from "./prepare-environment.ts";
import { RunBudget } from "./run-budget.ts";
import { RunIdentity } from "./run-identity.ts";
import { isTakenUp, RunJournal } from "./run-journal.ts";
import { asEnded, leavingOf, type RunLeaving } from "./run-leaving.ts";
import { RunNetwork } from "./run-network.ts";
import { noCommitText, openFiles, sourceOf } from "./run-source.ts";
import type { SecretMask } from "./secret-mask.ts";
import { untilTurn } from "./session-turn.ts";
import { hasLostSandbox, RunStopped } from "./stop-reason.ts";
import { taskOf } from "./task-of.ts";
import { backendSpan } from "./trace-run.ts";
import { turnEvents } from "./turn-meter.ts";
import { sayWaits, untilRoom } from "./until-room.ts";
import { UsageMeter } from "./usage-meter.ts";
import { WorkedTime } from "./worked-time.ts";
import { inWorkspace } from "./workspace-task.ts";

/** A sandbox ends at once; copies end at their next file. */
const SETUP_STOPS_WITHIN_MS = 10_000;

type Work = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly backends: readonly Backend[];
  /** The backend of runs that bring their own access to a model. */
  readonly openBroughtBackend: () => Promise<Backend>;
  readonly checkouts: CheckoutProvider;
  /** Null where nothing is executed. */
  readonly environments: Environments | null;
  readonly egress: EgressProvider;
  /** Where commands of the run ask for its ID tokens. Null: nowhere. */
  readonly tokenRelays: TokenRelays | null;
  /** Says that a checkout is this run's. What is returned gives its place in the sandbox back. */
  readonly enterSandbox: (root: string) => Promise<() => Promise<void>>;
  /** Where the checks of attempts are executed. Null: nowhere. */
  readonly checkSandbox: CheckSandbox | null;
  /** Null where no runs of workspaces are executed. */
  readonly workspaces: WorkspaceRuns | null;
  readonly writer: EventWriter;
  /** Of the service, for this run. */
  readonly timeLimitMs: number;
  /** Counts the time towards it for which earlier workers were at the run. */
  readonly countEarlier: (ms: number) => void;
  /** Secrets that nothing of this run may show. Its backend adds to them. */
  readonly secrets: SecretMask;
  /** Lets another worker take this one's place for as long as `wait` takes. */
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Aborts with a RunStopped. */
  readonly signal: AbortSignal;
  /** Aborts when runs are to be given back to other workers. */
  readonly isLeaving: AbortSignal;
  /** Aborts when the service waits no longer. */
  readonly isOver: AbortSignal;
};

type WorkDone = {
  readonly ending: RunEnding;
  readonly usage: Usage;
  /** What was held for the run at last. */
  readonly heldMicroUsd: number;
  /** Whether the backend has delegated, or tried to. It cannot any more. */
  readonly hasDelegated: boolean;
  /** The time that its workers were at it. */
  readonly workedMs: number;
  /** Null where none is kept. */
  readonly journal: RunJournal | null;
  readonly leaving: RunLeaving;
  /** Resolves when the checkout is removed: for a stopped run, once its backend has ended. Never rejects. */
  readonly cleaned: Promise<void>;
};

/**
 * Every failure is an ending, but for the store's own: it rejects with that, for the run itself has not failed. The checkout is removed,
 * maybe later: see `cleaned`.
 */
export async function executeRun(work: Work): Promise<WorkDone> {
  const { core, taken } = work;
  const { id: runId, fence, holdMicroUsd, price } = taken.run;
  const { maxTurnTokens: maxTokens, maxCostMicroUsd = null } = taken.input;
  const budget = new RunBudget({ maxTokens, maxCostMicroUsd });
  const worked = new WorkedTime(core.clock);
  const meter = new UsageMeter({
    holdMicroUsd,
    raiseHold: (microUsd) => raiseHold(core, { runId, fence, microUsd }),
    costOfTime: () => costOfTime(price, worked.ms),
    toolRates: core.rates.tools,
    takeFreeCall: (rate) => takeFreeCall(core, { run: taken.run, rate }),
    budget,
  });
  const held = new HeldCheckout({ core, runId, isOver: work.isOver });
  const delegations = new Delegations();
  const network = new RunNetwork(work);
  const identity = new RunIdentity(work);
  const opened: Opened = { journal: null, workspace: null };
  const usageNow = () => ({ ...meter.usage, budget: budget.use });
  const close = async (leaving: RunLeaving): Promise<Pick<WorkDone, "cleaned">> => {
    if (leaving.as !== "ended") opened.workspace?.leaves(leaving.as);
    const cleaned = held.remove();
    if (!held.isInUse) await cleaned;
    return { cleaned };
  };
  const parts = { meter, held, delegations, network, identity, worked, opened };
  const end = async () => {
    delegations.close();
    await Promise.all([network.close(), identity.close()]);
  };
  const ended = await endingOfWork(work, parts).catch(async (cause: unknown) => {
    await end();
    await (await close(opened.journal?.isKept === true ? { as: "given_back" } : asEnded)).cleaned;
    throw cause;
  });
  await end();
  const { journal } = opened;
  const ending = failedUnlessCalled(ended, usageNow());
  const leaving = leavingOf(ending, { journal, input: taken.input, usage: usageNow() });
  if (leaving.as === "ended") work.writer.hold(turnEvents(meter.turn.end(), work.secrets));
  const { cleaned } = await close(leaving);
  const usage = usageNow();
  return {
    ending,
    leaving,
    usage,
    heldMicroUsd: meter.heldMicroUsd,
    hasDelegated: delegations.hasBegun,
    workedMs: worked.ms,
    journal,
    cleaned,
  };
}

/** Null where there is none, or it is not open yet. */
type Opened = { journal: RunJournal | null; workspace: OpenedWorkspace | null };

type WorkParts = {
  readonly meter: UsageMeter;
  readonly held: HeldCheckout;
  readonly delegations: Delegations;
  readonly network: RunNetwork;
  readonly identity: RunIdentity;
  readonly worked: WorkedTime;
  readonly opened: Opened;
};

async function endingOfWork(
  work: Work,
  { meter, held, delegations, network, identity, worked, opened }: WorkParts,
): Promise<RunEnding> {
  const { core, taken, signal } = work;
  const runId = taken.run.id;
  try {
    if (taken.run.status === "cancelling") return cancelledEnding;
    const agent = await core.store.committed.agents.find(taken.run.agentId);
    // A run that was submitted while its agent was deleted.
    if (agent === null) return deletedEnding;
    const access = await openBrought(work);
    const backend = await backendOf(work, agent);
    if (backend === null) {
      const message = `This service has no backend named "${agent.backend}".`;
      return failed("misconfigured", { message });
    }
    const journal = await openJournal(work, { backend, worked });
    if (journal === null && (isTakenUp(taken) || taken.input.forkOf !== undefined)) return interruptedEnding;
    opened.journal = journal;
    worked.add(journal?.left?.workedMs ?? 0);
    work.secrets.add(...(backend.secrets ?? []));
    if (journal?.left?.isPoisoned === true)
      return await endPoisoned(work, { agent, backend, journal, left: journal.left, held, meter });
    if (journal?.left != null) work.countEarlier(journal.left.workedMs - (taken.input.uncountedMs ?? 0));
    if (!access.ok) return access.refusal;
    const brought = access.value;
    const generations = await generationsLeft(core.store.committed.runs, taken.run);
    const sessionRun = await sessionRunOf(core, taken);
    const granted = await network.grant(agent);
    const task = taskOf(work, {
      agent,
      brought,
      meter,
      generations,
      delegations,
      network: granted,
      identity,
      journal,
      worked,
      sessionRun,
    });
    const ask = (run: () => Promise<BackendOutcome>) =>
      core.tracer.trace(backendSpan(backend), () => untilStopped(run(), signal));
    const hasCopy = taken.input.workspace !== undefined && taken.input.workspace.copyId !== null;
    if (!backend.needsCheckout && !hasCopy) {
      return completed(await showOpening(work, () => ask(() => backend.run(task, null))));
    }
    core.signals.opened(runId);
    // A workspace has its own files, whatever repository the agent is of.
    const isJudge = taken.input.raceRole === "judge";
    const source = taken.input.workspace === undefined && !isJudge ? sourceOf(taken.input, runId) : null;
    const { repository } = agent;
    if (source === null && !isJudge && repository !== null && taken.input.workspace === undefined)
      return failed("checkout_refused", { message: noCommitText(repository.name) });
    const changesCheckout = backend.needsCheckout && backend.changesCheckout === true;
    if (changesCheckout) await untilTurn({ ...work, run: taken.run });
    const files = await core.tracer.trace({ name: "open checkout" }, async (span) => {
      const opening = await openFiles(work, { agent, source, journal });
      if (!opening.ok) span.fail(opening.refusal.reason);
      return opening;
    });
    if (files.ok) {
      held.hold(files.value.checkout);
      held.hold({ close: await work.enterSandbox(files.value.checkout.root) });
      opened.workspace = files.value.workspace;
      work.secrets.add(...(files.value.checkout.covered?.values ?? []));
    }
    signal.throwIfAborted();
    if (!files.ok) return endingOfRefusal(files.refusal);
    const { checkout, workspace } = files.value;
    const { lend } = work;
    const told = workspace === null ? task : inWorkspace(task, { workspace, delegations, lend });
    const given = { ...told, ...(source ?? { repository: null }) };
    const stopsWithinMs = backend.needsCheckout ? backend.stopsWithinMs : undefined;
    if (!changesCheckout)
      return completed(await ask(() => held.use(backend.run(given, checkout), stopsWithinMs)));
    const { bestOf } = taken.input;
    if (bestOf !== undefined && source !== null) {
      const raced = { bestOf, agent, source, checkout, task: { ...task, ...source }, backend };
      const outcome = await ask(() => held.use(executeRace(work, { ...raced, delegations })));
      await emitChanges(work, { held, checkout, copy: await carriedStateOf(core, taken.run) });
      return completed(outcome);
    }
    const environment = source === null ? noEnvironment : await setUp(work, { source, task, held, checkout });
    const keepsChanges = workspace?.keepsChanges === true;
    const copy = keepsChanges ? fresh : await restoreChanges(core, { run: sessionRun, checkout });
    const left = journal?.left?.tree ?? null;
    const hasNoTurns = backend.needsCheckout && backend.hasNoTurns === true;
    const onFull = sayWaits(core, taken.run.id);
    if (left !== null && !hasNoTurns && !told.filesMayBeOthers)
      await untilRoom(() => checkout.bringBack(left, signal), { clock: core.clock, signal, onFull });
    let isGivenBack = false;
    try {
      const run = () => backend.run({ ...given, environment, carriedState: copy }, checkout);
      return completed(await ask(() => held.use(run(), stopsWithinMs)));
    } catch (cause) {
      const isLeft =
        isOfStore(cause) ||
        hasLostSandbox(cause) ||
        (cause instanceof RunStopped && cause.kind === "handover");
      isGivenBack = journal !== null && isLeft;
      if (hasNoTurns && journal !== null) await held.untilKept(cause);
      throw cause;
    } finally {
      // Whoever takes the run up reports them. Those of a run that was parked are in its stream.
      const { retried } = taken.input;
      const isUntouched = retried !== undefined && !hasAnswered(retried, meter.usage);
      if (!isGivenBack && !isUntouched)
        await emitChanges(work, { held, checkout, copy, isKept: keepsChanges });
    }
  } catch (cause) {
    // Another worker takes it up, where it can: the run itself has not failed.
    if (isOfStore(cause) || hasLostSandbox(cause)) throw cause;
    return await endingOfError(work, cause);
  }
}

/** Null where none is kept: by this backend, on this service, or of such a run. */
async function openJournal(
  work: Work,
  { backend, worked }: { backend: Backend; worked: WorkedTime },
): Promise<RunJournal | null> {
  const { core, taken, writer, isLeaving } = work;
  const { modelAccess } = taken.input;
  if (!backend.needsCheckout || backend.keepsJournal !== true || core.journalKeys === null) return null;
  // Where the access is in this process alone, the next one could not go on.
  if (modelAccess !== undefined && !core.keepsRunSecrets) return null;
  return await RunJournal.open({ core, taken, writer, isLeaving, worked });
}

/** The access that the run's job brought; null where it brought none. */
async function openBrought({ core, taken, secrets }: Work): Promise<Result<BroughtModel | null, RunEnding>> {
  const { modelAccess } = taken.input;
  if (modelAccess === undefined) return ok(null);
  return await openBroughtModel(core, { runId: taken.run.id, modelAccess, secrets });
}

/** The backend of the agent, unless the run brings a model that it cannot use. */
async function backendOf(
  { backends, openBroughtBackend, taken }: Work,
  agent: Agent,
): Promise<Backend | null> {
  const own = backends.find(({ name }) => name === agent.backend) ?? null;
  if (taken.input.modelAccess === undefined) return own;
  if (own?.needsCheckout === true && own.takesBroughtModel === true) return own;
  return await openBroughtBackend();
}

async function setUp(
  work: Work,
  options: Pick<EnvironmentOptions, "source" | "checkout" | "task"> & { readonly held: HeldCheckout },
): Promise<RunEnvironment> {
  const { held, ...given } = options;
  const { core, taken, environments, signal } = work;
  const hold = (prepared: PreparedEnvironment) => held.holdHome(prepared);
  const preparing = () =>
    held.use(prepareEnvironment({ ...given, taken, environments, hold }), SETUP_STOPS_WITHIN_MS);
  return await core.tracer.trace({ name: "set up" }, () => untilStopped(preparing(), signal));
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

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts, even if the backend ignores the signal. */
async function untilStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function completed({ stopReason }: BackendOutcome): RunEnding {
  return { status: "completed", stopReason };
}
