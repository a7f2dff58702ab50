// GET …/workers and …/workers/{workerRequestID}.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { WorkerRefusal } from "./refusals.ts";
import type { SeenWorker } from "./worker.ts";

/** Newest first. */
export async function listWorkers(
  core: Core,
  { query, ...request }: WorkspaceRequest & { query: PageRequest & { task_group_id?: string | undefined } },
): Promise<Result<Page<SeenWorker>, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { workspaceId } = request;
  const taskGroupId = query.task_group_id ?? null;
  return await pageById(query, async (part) => {
    const workers = await core.store.committed.workers.list({ workspaceId, taskGroupId, ...part });
    return workers.map((seen) => ({ id: seen.worker.id, ...seen }));
  });
}

export async function findWorker(
  core: Core,
  request: WorkspaceRequest & { readonly workerId: string },
): Promise<Result<SeenWorker, WorkspaceRefusal | WorkerRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { workerId, workspaceId } = request;
  const seen = await core.store.committed.workers.find(workerId);
  return seen?.worker.workspaceId === workspaceId
    ? ok(seen)
    : refused({ reason: "worker_not_found", workerId, workspaceId });
}
