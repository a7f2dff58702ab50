// Task groups: made, listed, read, stopped.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import {
  type CreateTaskGroupRequest,
  DEFAULT_MAX_WORKERS,
} from "../../../../contract/workspaces/task-groups/task-group.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { grantInMicroUsd } from "../../money/ledger.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachForWork, reachWorkspace, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import { actorOf, type WorkspaceCaller } from "../workspace-caller.ts";
import type { TaskGroupRefusal } from "./refusals.ts";
import type { SeenTaskGroup, TaskGroup } from "./task-group.ts";

export type GroupRequest = { readonly caller: WorkspaceCaller; readonly taskGroupId: string };

/** Newest first. */
export async function listTaskGroups(
  core: Core,
  { query, ...request }: WorkspaceRequest & { readonly query: PageRequest },
): Promise<Result<Page<SeenTaskGroup>, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { workspaceId } = request;
  const page = await pageById(query, (part) =>
    core.store.committed.taskGroups.list({ workspaceId, ...part }),
  );
  return page.ok ? ok({ ...page.value, items: await seen(core, page.value.items) }) : page;
}

/** Safe to repeat with a key. */
export async function createTaskGroup(
  core: Core,
  request: WorkspaceRequest & {
    /** Default: a new one. */
    readonly id?: string;
    readonly body: Unkeyed<CreateTaskGroupRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<
  OnceResult<
    SeenTaskGroup,
    WorkspaceRefusal | WorkRefusal | TaskGroupRefusal | KeyInFlightRefusal | KeyReusedRefusal
  >
> {
  const { caller, workspaceId, body } = request;
  const { name, budget_credits: credits = null, max_workers: maxWorkers = DEFAULT_MAX_WORKERS } = body;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  const keyed = {
    scope: `task-groups ${workspaceId}`,
    accountId: caller.accountId,
    key: request.idempotencyKey,
    request: { name, credits, maxWorkers },
  };
  const made = await onceByKey<WorkspaceRefusal | WorkRefusal>(core, keyed, async (tx) => {
    const shared = await shareForWork(core, tx, request);
    if (!shared.ok) return shared;
    const createdAt = core.clock.now();
    const { id = core.random.uuid(createdAt) } = request;
    await tx.taskGroups.insert({
      id,
      workspaceId,
      accountId: caller.accountId,
      name,
      status: "open",
      maxWorkers,
      budgetMicroUsd: credits === null ? null : grantInMicroUsd(credits),
      createdBy: actorOf(caller),
      createdAt,
      stoppedAt: null,
    });
    return ok(id);
  });
  if (!made.ok) return made;
  return onceResult(await readTaskGroup(core, { caller, taskGroupId: made.value.subjectId }), made.value);
}

export async function readTaskGroup(
  core: Core,
  request: GroupRequest,
): Promise<Result<SeenTaskGroup, TaskGroupRefusal>> {
  const reached = await reachTaskGroup(core, request);
  if (!reached.ok) return reached;
  const [found] = await seen(core, [reached.value]);
  return ok(found ?? { group: reached.value, counts: [], changesetIds: [] });
}

/** The group, where it is the caller's. */
export async function reachTaskGroup(
  core: Core,
  { caller, taskGroupId }: GroupRequest,
): Promise<Result<TaskGroup, TaskGroupRefusal>> {
  const group = await core.store.committed.taskGroups.find(taskGroupId);
  if (group === null) return refused({ reason: "task_group_not_found", taskGroupId });
  const isOfRun = caller.kind !== "member_run" || caller.workspaceId === group.workspaceId;
  return group.accountId === caller.accountId && isOfRun
    ? ok(group)
    : refused({ reason: "task_group_of_another", taskGroupId });
}

async function seen(core: Core, groups: readonly TaskGroup[]): Promise<readonly SeenTaskGroup[]> {
  const { taskGroups } = core.store.committed;
  const ids = groups.map(({ id }) => id);
  const [counts, changesetIds] = await Promise.all([
    taskGroups.countWorkers(ids),
    taskGroups.changesetIds(ids),
  ]);
  return groups.map((group) => ({
    group,
    counts: counts.get(group.id) ?? [],
    changesetIds: changesetIds.get(group.id) ?? [],
  }));
}
