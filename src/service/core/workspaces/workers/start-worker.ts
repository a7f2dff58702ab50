// POST …/workers: the copy, where none is named, the run and the worker, in one transaction with the use of their key.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { SubmitRunRequest } from "../../../../contract/runs/run-requests.ts";
import type { StartWorkerRequest } from "../../../../contract/workspaces/workers/worker.ts";
import { type AccountCaller, accountItself } from "../../accounts/caller.ts";
import type { Core } from "../../core.ts";
import { earlierUse, type KeyUse, keepUse, keyUseOf } from "../../idempotency/once-by-key.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { RUN_FEE_MICRO_USD } from "../../money/ledger.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Submission } from "../../runs/submission.ts";
import type { RunSubmitter } from "../../runs/submit-run.ts";
import { insertCopy } from "../copies/create-copy.ts";
import { reachForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import type { GroupFullRefusal, TaskGroupRefusal } from "../task-groups/refusals.ts";
import { type GroupUse, shareOf, type TaskGroup } from "../task-groups/task-group.ts";
import { reachTaskGroup } from "../task-groups/task-groups.ts";
import { actorOf, type WorkspaceCaller } from "../workspace-caller.ts";
import type { WorkerRefusal } from "./refusals.ts";
import { type SubmitWorkspaceRefusal, submitInWorkspace } from "./submit-in-workspace.ts";
import type { SeenWorker } from "./worker.ts";

const MICRO_PER_USD = 1_000_000;
/** Less does not pay for a run, not even for one that calls no model. */
const LEAST_SHARE_MICRO_USD = RUN_FEE_MICRO_USD;
/** Others take from the same budget at the same time. */
const MAX_TRIES = 5;

type WorkerRequest = WorkspaceRequest & {
  /** With all that a run may have, where it is submitted as a run of the workspace. */
  readonly body: Unkeyed<StartWorkerRequest & SubmitRunRequest>;
  readonly idempotencyKey: string | null;
  /** Default: a new one. */
  readonly id?: string;
  /** The run that starts it: it ends with that one at the latest. */
  readonly parent?: NonNullable<Submission["parent"]>;
};

export type StartWorkerRefusal =
  | SubmitWorkspaceRefusal
  | TaskGroupRefusal
  | GroupFullRefusal
  | RevisionRefusal
  | WorkerRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal;

type StartedWorker = {
  readonly worker: SeenWorker;
  readonly sessionId: string;
  readonly isReplay: boolean;
};

/** The obstacle of a worker, found within the transaction: it is undone. */
class WorkerRefusedError extends Error {
  readonly refusal: StartWorkerRefusal | "budget_moved";

  constructor(refusal: StartWorkerRefusal | "budget_moved") {
    super("The worker was refused.");
    this.refusal = refusal;
  }
}

/** Safe to repeat with a key. */
export async function startWorker(
  core: Core,
  submitter: RunSubmitter,
  request: WorkerRequest,
): Promise<Result<StartedWorker, StartWorkerRefusal>> {
  const { caller, workspaceId, body, idempotencyKey: key } = request;
  if (body.working_copy_id !== undefined && body.base_revision_id !== undefined)
    return refused({ reason: "worker_base_named_twice" });
  const use = keyUseOf({ scope: `workers ${workspaceId}`, accountId: caller.accountId, key, request: body });
  const earlier = await earlierUse(core.store.committed, use, core.clock.now());
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return await found(core, earlier.value, true);

  const workspace = await reachForWork(core, request);
  if (!workspace.ok) return workspace;
  const group = await reachTaskGroup(core, { caller, taskGroupId: body.task_group_id });
  if (!group.ok) return group;
  if (group.value.workspaceId !== workspaceId)
    return refused({ reason: "task_group_not_found", taskGroupId: body.task_group_id });
  for (let tries = 1; ; tries += 1) {
    try {
      return await submit(core, submitter, { ...request, use, group: group.value });
    } catch (cause) {
      if (!(cause instanceof WorkerRefusedError)) throw cause;
      if (cause.refusal !== "budget_moved") return refused(cause.refusal);
      if (tries === MAX_TRIES) throw cause;
    }
  }
}

type Starting = WorkerRequest & { readonly use: KeyUse; readonly group: TaskGroup };

async function submit(
  core: Core,
  submitter: RunSubmitter,
  starting: Starting,
): Promise<Result<StartedWorker, StartWorkerRefusal>> {
  const { body, group, workspaceId, caller, parent, use } = starting;
  const before = await core.store.committed.taskGroups.useOf(group.id);
  const fault = fullness(group, before);
  if (fault !== null) return refused(fault);
  const shareMicroUsd = boundedShare(shareOf(group, before), body.max_cost_usd);
  const createdAt = core.clock.now();
  const workerId = starting.id ?? core.random.uuid(createdAt);
  // A new copy has the worker's id: the run's input names it before it is made.
  const copyId = body.working_copy_id ?? workerId;
  const submitted = await submitInWorkspace(core, submitter, {
    caller: accountOf(caller),
    agentId: body.executor_agent_id,
    body: runBodyOf(body, shareMicroUsd),
    idempotencyKey: null,
    origin: parent === undefined ? "user" : "agent",
    ...(parent === undefined ? {} : { parent }),
    workspace: { workspaceId, copyId, taskGroupId: group.id, workerId },
    prepare: async (tx) => {
      if (body.working_copy_id !== undefined) return;
      const baseRevisionId = body.base_revision_id ?? null;
      const copy = await insertCopy(core, tx, { caller, workspaceId, baseRevisionId, id: copyId });
      if (!copy.ok) throw new WorkerRefusedError(copy.refusal);
    },
    alongside: async (tx, { runId, agentId }) => {
      await admit(tx, { group, shareMicroUsd });
      await tx.workers.insert({
        id: workerId,
        workspaceId,
        taskGroupId: group.id,
        copyId,
        agentId,
        runId,
        saveState: "none",
        savedRevisionId: null,
        saveError: null,
        savedAt: null,
        shareMicroUsd,
        createdBy: actorOf(caller),
        createdAt,
      });
      if (!(await keepUse(core, tx, { use, subjectId: workerId })))
        throw new WorkerRefusedError({ reason: "key_in_flight", key: use?.key ?? "" });
      const moves = [{ what: "worker", id: workerId, state: "queued" }] as const;
      await tx.workspaceEvents.append({ workspaceId, moves, now: createdAt });
    },
  });
  if (!submitted.ok) return submitted;
  core.signals.publish(workspaceId);
  return await found(core, workerId, false);
}

/** Holds the group's bounds also for workers that start at the same time. Throws a WorkerRefusedError. */
async function admit(
  tx: StoreTransaction,
  { group, shareMicroUsd }: { group: TaskGroup; shareMicroUsd: number | null },
): Promise<void> {
  const current = await tx.taskGroups.lock(group.id);
  if (current === null)
    throw new WorkerRefusedError({ reason: "task_group_not_found", taskGroupId: group.id });
  const used = await tx.taskGroups.useOf(group.id);
  const fault = fullness(current, used);
  if (fault !== null) throw new WorkerRefusedError(fault);
  const { budgetMicroUsd } = current;
  if (budgetMicroUsd !== null && used.microUsd + (shareMicroUsd ?? 0) > budgetMicroUsd)
    throw new WorkerRefusedError("budget_moved");
}

function fullness(
  { id: taskGroupId, status, maxWorkers, budgetMicroUsd }: TaskGroup,
  { inFlight, microUsd }: GroupUse,
): GroupFullRefusal | null {
  if (status === "stopped") return { reason: "task_group_stopped", taskGroupId };
  if (inFlight >= maxWorkers)
    return { reason: "task_group_full", taskGroupId, inFlight, allowed: maxWorkers };
  if (budgetMicroUsd === null || budgetMicroUsd - microUsd >= LEAST_SHARE_MICRO_USD) return null;
  return { reason: "task_group_spent", taskGroupId, budgetMicroUsd, usedMicroUsd: microUsd };
}

/** The bound of the request itself, within the group's share; a share is no less than a run needs. */
function boundedShare(share: number | null, maxCostUsd: number | undefined): number | null {
  const asked = maxCostUsd === undefined ? null : Math.round(maxCostUsd * MICRO_PER_USD);
  if (share === null) return asked;
  const bounded = Math.max(share, LEAST_SHARE_MICRO_USD);
  return asked === null ? bounded : Math.min(asked, bounded);
}

function runBodyOf(body: WorkerRequest["body"], shareMicroUsd: number | null) {
  const { task_group_id, working_copy_id, base_revision_id, executor_agent_id, ...run } = body;
  return shareMicroUsd === null ? run : { ...run, max_cost_usd: shareMicroUsd / MICRO_PER_USD };
}

/** A run of a member acts for the account, with the rights of an AI client. */
function accountOf(caller: WorkspaceCaller): AccountCaller {
  if (caller.kind === "account") return caller;
  return accountItself(caller.accountId, "ai_client");
}

async function found(
  core: Core,
  workerId: string,
  isReplay: boolean,
): Promise<Result<StartedWorker, StartWorkerRefusal>> {
  const worker = await core.store.committed.workers.find(workerId);
  const run = worker === null ? null : await core.store.committed.runs.find(worker.worker.runId);
  if (worker === null || run === null) throw new TypeError(`Worker ${workerId} is not there.`);
  return ok({ worker, sessionId: run.sessionId, isReplay });
}
