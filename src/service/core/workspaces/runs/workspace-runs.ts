// The runs of a workspace: listed, submitted.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { SubmitWorkspaceRunRequest } from "../../../../contract/workspaces/runs.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { Core } from "../../core.ts";
import type { Submitted } from "../../runs/submission.ts";
import type { RunSubmitter } from "../../runs/submit-run.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { type PlacedRun, placeRuns } from "../placed-runs/place-runs.ts";
import { reachWorkspace } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import { type StartWorkerRefusal, startWorker } from "../workers/start-worker.ts";
import { type SubmitWorkspaceRefusal, submitInWorkspace } from "../workers/submit-in-workspace.ts";

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };

/** Newest first. */
export async function listWorkspaceRuns(
  core: Core,
  {
    query,
    ...request
  }: InWorkspace & { readonly query: PageRequest & { working_copy_id?: string | undefined } },
): Promise<Result<Page<PlacedRun>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceRuns } = core.store.committed;
  const { workspaceId } = request;
  const copyId = query.working_copy_id ?? null;
  const page = await pageById(query, (of) => workspaceRuns.list({ workspaceId, copyId, ...of }));
  if (!page.ok) return page;
  return ok({ ...page.value, items: await placeRuns(core, page.value.items) });
}

/** Safe to repeat with a key. */
export async function submitWorkspaceRun(
  core: Core,
  submitter: RunSubmitter,
  request: InWorkspace & {
    readonly body: Unkeyed<SubmitWorkspaceRunRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<Result<Submitted, SubmitWorkspaceRefusal | StartWorkerRefusal>> {
  const { caller, workspaceId, idempotencyKey } = request;
  const {
    executor_agent_id: agentId,
    working_copy_id: copyId = null,
    task_group_id: taskGroupId = null,
    ...body
  } = request.body;
  if (taskGroupId !== null) {
    if (copyId === null) return refused({ reason: "worker_without_copy" });
    const named = agentId === undefined ? {} : { executor_agent_id: agentId };
    const worker = { ...body, ...named, working_copy_id: copyId, task_group_id: taskGroupId };
    const started = await startWorker(core, submitter, { caller, workspaceId, body: worker, idempotencyKey });
    if (!started.ok) return started;
    const { worker: seen, sessionId, isReplay } = started.value;
    return ok({ runId: seen.worker.runId, sessionId, isReplay });
  }
  const workspace = { workspaceId, copyId, taskGroupId, workerId: null };
  return await submitInWorkspace(core, submitter, { caller, agentId, body, idempotencyKey, workspace });
}
