// The workflows of a workspace: prompts with versions, which its manager runs. The owner activates one as any other.
// Why: docs/decisions/087-consumers-of-a-workspace.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { PutWorkspaceWorkflowRequest } from "../../../../contract/workspaces/workflows.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { WorkflowRefusal } from "../../workflows/refusals.ts";
import type { WorkflowRecord } from "../../workflows/workflow.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { WorkflowIdRefusal } from "./refusals.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };
type PutRefusal =
  | WorkspaceRefusal
  | WorkRefusal
  | WorkflowRefusal
  | WorkflowIdRefusal
  | AgentRefusal
  | AgentEndingRefusal;

/** Newest first. */
export async function listWorkspaceWorkflows(
  core: Core,
  { query, ...request }: InWorkspace & { readonly query: PageRequest },
): Promise<Result<Page<WorkflowRecord>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  return await pageById(query, (of) => core.store.committed.workspaceWorkflows.list({ workspaceId, ...of }));
}

type PutWorkflow = { readonly workflow: WorkflowRecord; readonly isNew: boolean };

/** Writes a workflow, or the next version of one where it differs from the newest. The active version stays active. Safe to repeat. */
export async function putWorkspaceWorkflow(
  core: Core,
  request: InWorkspace & { readonly workflowId: string; readonly body: PutWorkspaceWorkflowRequest },
): Promise<Result<PutWorkflow, PutRefusal>> {
  const { caller, workspaceId, workflowId, body } = request;
  if (!uuid.test(workflowId)) return refused({ reason: "workflow_id_malformed", workflowId });
  return await core.store.transact(async (tx): Promise<Result<PutWorkflow, PutRefusal>> => {
    // Two requests that make one wait for each other here.
    await tx.workspaces.lock(workspaceId);
    const workspace = await reachForWork(core, request, tx);
    if (!workspace.ok) return workspace;
    const { managerAgentId } = workspace.value;
    const agent = await lockOwnAgent(tx, { accountId: caller.accountId, agentId: managerAgentId });
    if (!agent.ok) return agent;
    const known = await tx.workflows.lock(workflowId);
    if (known === null) {
      const workflow = await insertWorkflow(core, tx, { ...request, agentId: managerAgentId });
      return ok({ workflow, isNew: true });
    }
    if ((await tx.workspaceWorkflows.findWorkspace(workflowId)) !== workspaceId) {
      return refused({ reason: "workflow_not_found", workflowId });
    }
    return ok({ workflow: await writeNext(core, tx, { known, body, managerAgentId }), isNew: false });
  });
}

async function insertWorkflow(
  core: Core,
  tx: StoreTransaction,
  request: {
    readonly workspaceId: string;
    readonly workflowId: string;
    readonly agentId: string;
    readonly body: PutWorkspaceWorkflowRequest;
  },
): Promise<WorkflowRecord> {
  const { workspaceId, workflowId: id, agentId, body } = request;
  const now = core.clock.now();
  const { name, prompt } = body;
  const workflow = { id, agentId, name, version: 0, activeVersion: null, createdAt: now, updatedAt: now };
  await tx.workflows.insert(workflow);
  await tx.workflows.insertVersion({ id, version: 1, prompt, now });
  await tx.workspaceWorkflows.insert({ workspaceId, workflowId: id });
  return { ...workflow, version: 1 };
}

async function writeNext(
  core: Core,
  tx: StoreTransaction,
  {
    known,
    body: { name, prompt },
    managerAgentId,
  }: {
    readonly known: WorkflowRecord;
    readonly body: PutWorkspaceWorkflowRequest;
    readonly managerAgentId: string;
  },
): Promise<WorkflowRecord> {
  const { id } = known;
  const now = core.clock.now();
  let workflow = known;
  if (known.agentId !== managerAgentId) {
    // What the owner activated was to be run by another agent.
    await tx.workflows.assign({ id, agentId: managerAgentId, now });
    workflow = { ...workflow, agentId: managerAgentId, activeVersion: null, updatedAt: now };
  }
  if (known.name !== name) {
    await tx.workflows.rename({ id, name });
    workflow = { ...workflow, name };
  }
  if ((await tx.workflows.findPrompt({ id, version: known.version })) === prompt) return workflow;
  const version = known.version + 1;
  await tx.workflows.insertVersion({ id, version, prompt, now });
  return { ...workflow, version, updatedAt: now };
}

/** Also for an account whose new work is not taken. Its runs stay. */
export async function deleteWorkspaceWorkflow(
  core: Core,
  { workflowId, ...request }: InWorkspace & { readonly workflowId: string },
): Promise<Result<WorkflowRecord, WorkspaceRefusal | WorkflowRefusal>> {
  return await core.store.transact(
    async (tx): Promise<Result<WorkflowRecord, WorkspaceRefusal | WorkflowRefusal>> => {
      const workspace = await reachWorkspace(core, request, tx);
      if (!workspace.ok) return workspace;
      const { workspaceId } = request;
      const isOfWorkspace = (await tx.workspaceWorkflows.findWorkspace(workflowId)) === workspaceId;
      const workflow = isOfWorkspace ? await tx.workflows.lock(workflowId) : null;
      if (workflow === null) return refused({ reason: "workflow_not_found", workflowId });
      await tx.workspaceWorkflows.delete(workflowId);
      await tx.workflows.delete(workflowId);
      return ok(workflow);
    },
  );
}
