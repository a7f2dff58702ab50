// The desk of a manager's run: it makes copies and starts workers in the rights of its membership.
// Why: docs/decisions/090-the-budget-of-a-task-group.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import { isTerminal } from "../../../../contract/runs/run.ts";
import { MOST_WORKERS } from "../../../../contract/workspaces/task-groups/task-group.ts";
import type { Core } from "../../core.ts";
import { creditsOf } from "../../money/ledger.ts";
import { childIdOf } from "../../runs/delegate-run.ts";
import { movedWithin } from "../../runs/moved-within.ts";
import type { TakenRun } from "../../runs/progress-run.ts";
import { readReplies } from "../../runs/session-history.ts";
import { RunSubmitter } from "../../runs/submit-run.ts";
import { createChangeset } from "../changesets/create-changeset.ts";
import { insertCopy } from "../copies/create-copy.ts";
import { createTaskGroup } from "../task-groups/task-groups.ts";
import { startWorker } from "../workers/start-worker.ts";
import { isSettled, type SeenWorker } from "../workers/worker.ts";
import type { Workspace } from "../workspace.ts";
import { actorOf, type MemberRun } from "../workspace-caller.ts";
import type { DeskRefusal, ManagerDesk, WorkerReport, WorkerTask } from "./desk-port.ts";
import { joinRevisions } from "./join-revisions.ts";

/** The task group of a run is found as if a call had made it. */
const GROUP = "task group";
/** For workers of other nodes whose word got lost. */
const ASK_AGAIN_MS = 1_000;

export function managerDesk(
  core: Core,
  { taken, workspace }: { readonly taken: TakenRun; readonly workspace: Workspace },
): ManagerDesk {
  const { run, input } = taken;
  const { id: workspaceId, accountId } = workspace;
  const caller: MemberRun = {
    kind: "member_run",
    accountId,
    workspaceId,
    agentId: run.agentId,
    runId: run.id,
  };
  const request = { caller, workspaceId };
  const submitter = new RunSubmitter(core);
  const { taskGroups, copies, workers, changesets } = core.store.committed;
  const groupId = childIdOf(run, GROUP);
  let making: Promise<Result<string, DeskRefusal>> | null = null;

  const makeGroup = async (): Promise<Result<string, DeskRefusal>> => {
    const { maxCostMicroUsd } = input;
    const budget =
      maxCostMicroUsd === undefined
        ? {}
        : { budget_credits: Math.max(1, Math.floor(creditsOf(maxCostMicroUsd))) };
    const body = { name: `Run ${run.id}`, max_workers: MOST_WORKERS, ...budget };
    const find = () => taskGroups.find(groupId);
    return await onceById(find, async () => {
      const made = await createTaskGroup(core, { ...request, id: groupId, body, idempotencyKey: null });
      return made.ok ? ok(made.value.group) : refused(deskRefusal(made.refusal));
    }).then((made) => (made.ok ? ok(made.value.id) : made));
  };
  /** The id of what a call makes. */
  const idOf = (call: string | null) =>
    call === null ? core.random.uuid(core.clock.now()) : childIdOf(run, call);

  return {
    createCopy: async (baseRevisionId, call) => {
      const id = idOf(call);
      const made = await onceById(
        () => copies.find(id),
        async () => {
          const asked = { ...request, id, baseRevisionId };
          const made = await core.store.transact((tx) => insertCopy(core, tx, asked));
          return made.ok ? made : refused(deskRefusal(made.refusal));
        },
      );
      return made.ok ? ok({ copyId: made.value.id }) : made;
    },
    startWorker: async (task, call) => {
      making ??= makeGroup();
      const group = await making;
      if (!group.ok) {
        making = null;
        return group;
      }
      const id = idOf(call);
      const started = await onceById(
        () => workers.find(id),
        async () => {
          const started = await startWorker(core, submitter, {
            ...request,
            id,
            body: bodyOf(task, group.value),
            idempotencyKey: null,
            parent: { runId: run.id, fence: run.fence },
          });
          return started.ok ? ok(started.value.worker) : refused(deskRefusal(started.refusal));
        },
      );
      if (!started.ok) return started;
      const { id: workerId, copyId, runId } = started.value.worker;
      return ok({ workerId, copyId, runId });
    },
    createChangeset: async ({ revisionIds, title, summary }, call, signal) => {
      const id = idOf(call);
      const made = await onceById(
        () => changesets.find(id),
        async () => {
          const author = actorOf(caller);
          const joined = await joinRevisions(core, { workspaceId, revisionIds, author, signal });
          if (!joined.ok) return joined;
          const group = await taskGroups.find(groupId);
          const made = await createChangeset(core, {
            ...request,
            id,
            body: { revision_id: joined.value.id, title, summary },
            idempotencyKey: null,
            signal,
            ...(group === null ? {} : { taskGroupId: group.id }),
          });
          return made.ok ? ok(made.value) : refused(deskRefusal(made.refusal));
        },
      );
      if (!made.ok) return made;
      const { id: changesetId, revisionId, files, conflicts } = made.value;
      return ok({ changesetId, revisionId, files, conflicts: conflicts.map(({ path }) => path) });
    },
    awaitWorkers: async (workerIds, signal) => {
      const settled = await untilSettled(core, { workspaceId, workerIds, signal });
      if (!settled.ok) return settled;
      return ok(await Promise.all(settled.value.map((seen) => reportOf(core, seen))));
    },
  };
}

/** What an earlier worker of the run has made by the same call, or makes at this moment. */
async function onceById<Made>(
  find: () => Promise<Made | null>,
  make: () => Promise<Result<Made, DeskRefusal>>,
): Promise<Result<Made, DeskRefusal>> {
  const earlier = await find();
  if (earlier !== null) return ok(earlier);
  try {
    return await make();
  } catch (cause) {
    const made = await find();
    if (made === null) throw cause;
    return ok(made);
  }
}

function bodyOf({ message, copyId, baseRevisionId, agentId }: WorkerTask, taskGroupId: string) {
  return {
    task_group_id: taskGroupId,
    message,
    ...(copyId === null ? {} : { working_copy_id: copyId }),
    ...(baseRevisionId === null ? {} : { base_revision_id: baseRevisionId }),
    ...(agentId === null ? {} : { executor_agent_id: agentId }),
  };
}

async function untilSettled(
  core: Core,
  {
    workspaceId,
    workerIds,
    signal,
  }: { workspaceId: string; workerIds: readonly string[]; signal: AbortSignal },
): Promise<Result<readonly SeenWorker[], DeskRefusal>> {
  for (;;) {
    signal.throwIfAborted();
    const found = await core.store.committed.workers.findAll(workerIds);
    const seen = new Map(found.map((worker) => [worker.worker.id, worker]));
    const workers: SeenWorker[] = [];
    for (const id of workerIds) {
      const worker = seen.get(id);
      if (worker?.worker.workspaceId !== workspaceId)
        return refused({ why: `The workspace has no worker ${id}.` });
      workers.push(worker);
    }
    const working = workers.find(({ worker, runStatus }) => !isTerminal(runStatus) || !isSettled(worker));
    if (working === undefined) return ok(workers);
    const listener = core.signals.listen(working.worker.id);
    try {
      await movedWithin(core, listener, { ms: ASK_AGAIN_MS, signal });
    } finally {
      listener.stop();
    }
  }
}

async function reportOf(core: Core, { worker, runStatus }: SeenWorker): Promise<WorkerReport> {
  const { id: workerId, runId, saveState, savedRevisionId, saveError } = worker;
  const reply = (await readReplies(core.store.committed, runId)).at(-1) ?? "";
  return { workerId, runStatus, saveState, savedRevisionId, saveError, reply };
}

/** The reason in words, and what it names. */
function deskRefusal({ reason, ...about }: { readonly reason: string }): DeskRefusal {
  const named = Object.entries(about).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return { why: [`${reason.replaceAll("_", " ")}.`, ...named].join(" ") };
}
