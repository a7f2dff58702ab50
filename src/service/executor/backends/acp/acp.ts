// The backend that executes a run by another coding agent: a process that speaks the Agent Client Protocol.

import { type Clock, systemClock } from "../../../../base/clock.ts";
import { type Random, systemRandom } from "../../../../base/ids.ts";
import { NOTICE_EVENT, RESUMED_EVENT } from "../../../../contract/runs/run-event.ts";
import type { Checkout, HiddenFile } from "../../../core/checkouts/checkout.ts";
import { networkText } from "../../../core/egress/network-text.ts";
import { NoPlaceError } from "../../../core/ports/agent-start.ts";
import type { StorageFullError } from "../../../core/ports/storage-full.ts";
import { identityText } from "../../../core/run-identity/identity-text.ts";
import type {
  Backend,
  BackendFailure,
  BackendOutcome,
  BackendTask,
  BareTask,
  RepositoryTask,
} from "../../backend.ts";
import { isShutdown, isUrgent } from "../../stop-reason.ts";
import { untilRoom } from "../../until-room.ts";
import { type AgentFault, failureOf } from "./agent-fault.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { AgentTurn } from "./agent-turn.ts";
import { type AgentsModel, openAgentsModel } from "./agents-model.ts";
import { rootsOf } from "./checkout-files.ts";
import { openToolGateway, type ToolGateway } from "./gateway/tool-gateway.ts";
import type { AcpSettings } from "./settings.ts";
import { AgentJournal, type AgentPlace } from "./taken-up/agent-journal.ts";
import type { TakenUp } from "./taken-up/first-prompt.ts";
import { type KeptHome, keepHome } from "./taken-up/kept-home.ts";
import { type LeftAgent, leftAgent, REPAIR_TURN } from "./taken-up/left-agent.ts";
import { AgentCutError, SessionLostError } from "./turn-errors.ts";
import type { ReportedUsage } from "./turn-usage.ts";

const ENDING_MS = 10_000;
/** What one that works elsewhere takes for its files, too. */
const ENDING_ELSEWHERE_MS = 20_000;
/** Of one run: what an agent executes may be what cuts its connection. */
const MAX_CUTS = 5;

/** Bounds of the event that names calls. */
const MAX_NAMES = 50;
const MAX_NAME_CHARS = 200;

type AcpTools = {
  readonly clock?: Clock;
  readonly random?: Random;
};

/** One process a run, started in its checkout and ended with all its child processes. */
export function acpBackend(settings: AcpSettings, tools: AcpTools = {}): Backend {
  const { clock = systemClock, random = systemRandom } = tools;
  return {
    name: "acp",
    secrets: settings.secrets,
    needsCheckout: true,
    changesCheckout: true,
    takesBroughtModel: true,
    // Cancel request, SIGTERM, SIGKILL; then orphan processes are ended and its home is removed.
    stopsWithinMs: 2 * settings.stopGraceMs + (settings.places === null ? ENDING_MS : ENDING_ELSEWHERE_MS),
    keepsJournal: true,
    hasNoTurns: true,
    countLeft: (work, meter) => {
      const { spent } = leftAgent(work);
      if (spent !== null) meter.resume(spent.meter);
    },
    run: async (task, checkout) => {
      task.signal.throwIfAborted();
      const hidden = await checkout.hideAgentFiles();
      const left = await takeUp(task, { checkout, clock });
      const model = await openAgentsModel({ settings, task, random, clock });
      let gateway: ToolGateway | null = null;
      try {
        model.proxy?.countLeft(left?.spent?.planned ?? []);
        if (left?.kept?.step.at === "done") return { stopReason: left.kept.step.stopReason };
        const unknown = left?.unknown ?? [];
        const journal =
          task.journal === null
            ? null
            : new AgentJournal({
                journal: task.journal,
                checkout,
                task,
                clock,
                everyMs: settings.keepEveryMs,
                unknown,
              });
        if (journal !== null) model.proxy?.keepIn(journal);
        const isWriters = hidden === null;
        gateway = await openToolGateway({ settings, task, checkout, random });
        const shared = { settings, clock, task, checkout, model, gateway, journal };
        return await runAgents({ ...shared, hidden: hidden ?? [], isWriters }, left);
      } finally {
        await gateway?.close();
        await model.close();
      }
    },
  };
}

/** Brings back what earlier workers have left, and tells the run's readers. Null for a run that begins. */
async function takeUp(
  task: BackendTask,
  { checkout, clock }: { readonly checkout: Checkout; readonly clock: Clock },
): Promise<LeftAgent | null> {
  const work = task.journal?.left ?? null;
  if (work === null) return null;
  const left = leftAgent(work);
  if (left.spent !== null) task.meter.resume(left.spent.meter);
  const unknown = left.unknown.slice(-MAX_NAMES).map(({ name }) => name.slice(0, MAX_NAME_CHARS));
  const turn = left.kept?.step.at === "repair" ? REPAIR_TURN : 1;
  const value = { turn, after: work.after, unknown_calls: unknown };
  await task.emit({ type: "CUSTOM", name: RESUMED_EVENT, value });
  const { tree } = work;
  const { signal } = task;
  const onFull = (cause: StorageFullError) => task.journal?.waitsForRoom(cause);
  if (tree !== null) await untilRoom(() => checkout.bringBack(tree, signal), { clock, signal, onFull });
  return left;
}

type Given = {
  readonly settings: AcpSettings;
  readonly clock: Clock;
  readonly task: RepositoryTask | BareTask;
  readonly checkout: Checkout;
  readonly model: AgentsModel;
  readonly gateway: ToolGateway;
  readonly hidden: readonly HiddenFile[];
  /** Whether writers made the tree. */
  readonly isWriters: boolean;
  readonly journal: AgentJournal | null;
};

type AgentsStart = {
  readonly left: (TakenUp & { readonly reported: ReportedUsage }) | null;
  readonly keptHome: KeptHome | null;
};

/**
 * Where the session of an earlier process does not go on, another agent is told of it in words. One whose connection was cut is taken up
 * as that of a lost worker.
 */
async function runAgents(given: Given, left: LeftAgent | null): Promise<BackendOutcome> {
  let start = firstStart(given, left);
  let cuts = 0;
  for (;;) {
    try {
      return await runAgent(given, start);
    } catch (cause) {
      if (cause instanceof CutAgentError) {
        cuts += 1;
        if (cuts === MAX_CUTS) throw failed(given, { type: "cut" });
        start = cause.next ?? start;
        await tellOfCut(given);
      } else if (cause instanceof SessionLostError && start.left !== null)
        start = { left: { ...start.left, sessionId: null }, keptHome: null };
      else throw cause;
    }
  }
}

function firstStart({ settings, checkout }: Given, left: LeftAgent | null): AgentsStart {
  if (left === null) return { left, keptHome: null };
  const { kept, unknown, spent } = left;
  const nothing = { sessionId: null, thread: "", step: { at: "prompt" }, hasAnswered: false } as const;
  const reported = spent?.reported ?? { tokens: 0, microUsd: 0 };
  const known = { ...(kept ?? nothing), unknown, reported };
  // A session has the paths of its folder: from another one, its agent would change files that are none of the run's.
  const isInPlace = kept?.cwd === (settings.places?.tree ?? checkout.root);
  return kept !== null && kept.home !== null && isInPlace
    ? { left: known, keptHome: kept.home }
    : { left: { ...known, sessionId: null }, keptHome: null };
}

/** `next` begins with what the agent has left; null: as it began. */
class CutAgentError extends Error {
  override readonly name = "CutAgentError";
  readonly code = "agent_cut";
  readonly next: AgentsStart | null;

  constructor(next: AgentsStart | null) {
    super("The connection to the agent was cut.");
    this.next = next;
  }
}

/** Its files, its home and its session, as far as they can be had. Rejects where its place is lost. */
async function cutAgent(
  { task, journal }: Given,
  { agent, left }: { readonly agent: AgentProcess; readonly left: AgentPlace | null },
): Promise<CutAgentError> {
  const { signal, secrets } = task;
  const keptHome = (await agent.takeHome(signal)) ? await keepHome(agent.home, secrets) : null;
  await agent.takeTree(signal);
  if (left === null) return new CutAgentError(null);
  const sessionId = keptHome === null ? null : left.sessionId;
  const known = { ...left, sessionId, unknown: journal?.openCalls ?? [] };
  return new CutAgentError({ left: known, keptHome });
}

async function tellOfCut({ task, settings }: Given): Promise<void> {
  const text = `The connection to ${settings.title} was cut: it was started again, and goes on with what it has left.`;
  await task.emit({ type: "CUSTOM", name: NOTICE_EVENT, value: { text } });
}

function failed({ settings, task }: Given, fault: AgentFault): BackendFailure {
  const { title } = settings;
  return failureOf(fault, {
    title,
    mask: task.secrets,
    complaint: "",
    hasAnswered: false,
    refused: null,
  });
}

async function runAgent(given: Given, { left, keptHome }: AgentsStart): Promise<BackendOutcome> {
  const { settings, clock, task, checkout, model, gateway, hidden, journal } = given;
  const { places } = settings;
  const roots = places === null ? await rootsOf(checkout.root) : ([places.tree] as const);
  // With its place's network it needs no proxy.
  const isProxied = model.socket !== null && (places?.isProxied ?? true);
  const egressSocket = isProxied ? await task.network.egress.socket("agent") : null;
  const { egress, withheld } = task.network;
  const reach = isProxied ? [networkText(egress.rules, { withheld })] : [];
  const identity = (await task.identity?.()) ?? null;
  const network = [...reach, ...identityText(identity?.audiences ?? [])].join(" ");
  let agent: AgentProcess;
  try {
    const { root, gitFolder = null, covered } = checkout;
    const place = { checkout: root, gitFolder, covered };
    agent = await startAgent({
      settings,
      model,
      hidden,
      isWriters: given.isWriters,
      ...place,
      egressSocket,
      gateway: gateway.calls === null ? null : { socket: gateway.socket },
      identity: identity?.commands ?? null,
      signal: task.signal,
      clock,
      keptHome,
    });
  } catch (cause) {
    // Its place was lost meanwhile.
    task.signal.throwIfAborted();
    if (cause instanceof NoPlaceError) throw failed(given, { type: "no_place", why: cause.message });
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw failed(given, { type: "not_started", code });
  }
  const { covered } = checkout;
  const files = { roots, covered, hidden, home: places?.home ?? agent.home };
  const { proxy } = model;
  const turn = new AgentTurn({
    settings,
    task,
    agent,
    ...files,
    network,
    proxy,
    gateway,
    clock,
    journal,
    left,
  });
  try {
    return await turn.take();
  } catch (cause) {
    if (!(cause instanceof AgentCutError)) throw cause;
    throw await cutAgent(given, { agent, left: cause.left });
  } finally {
    if (journal !== null && isShutdown(task.signal)) {
      await agent.kill();
      await journal.keepLast();
    }
    await agent.end(isUrgent(task.signal) ? 0 : settings.stopGraceMs);
  }
}
