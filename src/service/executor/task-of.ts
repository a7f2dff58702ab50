// The task for the backend of a run: its input, its bounds, and the ways to emit, delegate and write.

import type { Agent } from "../core/agents/agent.ts";
import { approveUrl } from "../core/approvals/approve-url.ts";
import { openConnection } from "../core/connections/use-connection.ts";
import type { Core } from "../core/core.ts";
import { readServerAccess } from "../core/model-access/kept-server-access.ts";
import { readAskedOutputs } from "../core/runs/asked-outputs.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { readHistory } from "../core/runs/session-history.ts";
import { authorizeWrite } from "../core/write-grants/authorize-write.ts";
import type { BackendTask, BroughtModel, TaskJournal, TaskNetwork, TaskOutputs } from "./backend.ts";
import { resumeChildren, runChild } from "./child-runs.ts";
import type { Delegations } from "./delegations.ts";
import { EventMask } from "./event-mask.ts";
import type { EventWriter } from "./event-writer.ts";
import { noEnvironment } from "./prepare-environment.ts";
import { deadlineOf } from "./run-deadline.ts";
import type { RunIdentity } from "./run-identity.ts";
import { isTakenUp } from "./run-journal.ts";
import type { SecretMask } from "./secret-mask.ts";
import { turnEvents } from "./turn-meter.ts";
import type { UsageMeter } from "./usage-meter.ts";
import type { WorkedTime } from "./worked-time.ts";

type TaskWork = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly writer: EventWriter;
  readonly timeLimitMs: number;
  readonly secrets: SecretMask;
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  readonly signal: AbortSignal;
};

/** The task for the backend of a run, before its checkout is known. */
export function taskOf(
  work: TaskWork,
  {
    agent,
    brought,
    meter,
    generations,
    delegations,
    network,
    identity,
    journal,
    worked,
    sessionRun,
  }: {
    agent: Agent;
    brought: BroughtModel | null;
    meter: UsageMeter;
    generations: number;
    delegations: Delegations;
    network: TaskNetwork;
    identity: RunIdentity;
    journal: TaskJournal | null;
    worked: WorkedTime;
    /** The run whose session it goes on with: its parent's, where it is an attempt of that one. */
    sessionRun: RunRecord;
  },
): BackendTask {
  const { core, taken, writer, secrets, signal, lend } = work;
  const { run, input } = taken;
  const mask = new EventMask(secrets);
  const deadline = deadlineOf({ ...work, earlierMs: worked.ms - (input.uncountedMs ?? 0) });
  let ids = 0;
  // Ids of the workers before are in the stream already.
  const worker = isTakenUp(taken) ? `${run.fence}.` : "";
  return {
    runId: run.id,
    messages: input.messages,
    model: brought?.model ?? input.model ?? agent.model,
    brought,
    advisorMaxSpendMicroUsd: agent.advisorMaxSpendMicroUsd,
    outputSchema: input.outputSchema ?? null,
    outputs: outputsOf(core, taken),
    mayAsk: input.hasThread === true && input.outputSchema === undefined,
    mayPark: input.mayPark === true && journal !== null,
    isInWorkspace: false,
    filesMayBeOthers: false,
    isJudge: input.raceRole === "judge",
    desk: null,
    carriedState: { state: "fresh" },
    environment: noEnvironment,
    maxTurnTokens: input.maxTurnTokens,
    deadline,
    signal,
    traceparent: () => core.tracer.here(),
    emit: async (event) => {
      signal.throwIfAborted();
      for (const masked of mask.apply(event)) await writer.emit(masked);
    },
    beginTurn: async (turn) => {
      const told = turnEvents(meter.turn.begin(turn), secrets);
      if (journal?.isKept === true) writer.hold(told);
      // Of a journal that was given up, nothing is committed any more.
      else for (const event of [...writer.takeHeld(), ...told]) await writer.emit(event);
    },
    history: (maxChars) => readHistory(core.store.committed, { run: sessionRun, maxChars }),
    // What an attempt hands on could act, as often as there are attempts.
    generationsLeft: input.raceRole === undefined ? generations : 0,
    delegate: (task) => {
      // It is stored with the child.
      const { call, ...asked } = task;
      // Without a journal nobody makes the call again.
      const again = call === undefined || journal === null ? {} : { call };
      const masked = { ...asked, ...again, message: secrets.apply(task.message) };
      const { budget } = meter;
      const timeLimitMs = Math.max(0, Math.floor(deadline.leftMs()));
      return delegations.begin(() =>
        runChild({ core, parent: taken, signal, lend, budget, timeLimitMs }, masked),
      );
    },
    resumeChildren: () => resumeChildren(core, { runId: run.id, budget: meter.budget }),
    meter,
    journal,
    secrets,
    network,
    identity: () => identity.open(),
    mcp: {
      asked: input.mcpServers ?? null,
      mayUseRepositorys: agent.ciPolicy?.mcp_servers === "repository",
      accessToken: (server) => readServerAccess(core, { access: input.mcpAccess, server }),
      connection: (named) =>
        openConnection(core, { run, input, agent, egress: network.egress, signal }, named),
      authorizeWrite: async ({ origin, isNamed, input: given, ...write }) => {
        if (input.raceRole !== undefined) return { isAllowed: false, approveUrl: null, isAttempt: true };
        const args = secrets.apply(JSON.stringify(given));
        const request = { ...write, args, runId: run.id, agentId: agent.id };
        const verdict = await authorizeWrite(core, { ...request, job: input.job, origin, isNamed });
        if (verdict.isAllowed) return verdict;
        const { approval } = verdict;
        return { isAllowed: false, approveUrl: approval && approveUrl(core.policy, approval.id) };
      },
    },
    nextId: (kind) => {
      ids += 1;
      return `${kind}-${worker}${ids}`;
    },
  };
}

/** A run without a job has nobody who would write them. */
function outputsOf(core: Core, taken: TakenRun): TaskOutputs | null {
  const { run, input } = taken;
  if (input.outputs === undefined || input.job === null) return null;
  return {
    declared: input.outputs,
    earlier: async () => (isTakenUp(taken) ? await readAskedOutputs(core.store.committed, run.id) : []),
  };
}
