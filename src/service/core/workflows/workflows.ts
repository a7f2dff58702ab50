// Workflows: stored in versions, activated by the account's owner, executed as runs.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, type Caller, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { ApprovalAction } from "../approvals/approval.ts";
import { activationSubject } from "../approvals/approval-subject.ts";
import { approveUrl } from "../approvals/approve-url.ts";
import { requestApproval, requesterOf, resolveElsewhere } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { SubmitRefusal } from "../runs/refusals.ts";
import type { Submission, Submitted } from "../runs/submission.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { enterWorkspace, findAdmissionFault, placeIn } from "../workspaces/placed-runs/enter-workspace.ts";
import type { WorkRefusal } from "../workspaces/refusals.ts";
import { activateWithin } from "./activate-within.ts";
import type { WorkflowRefusal } from "./refusals.ts";
import type { WorkflowRecord } from "./workflow.ts";

type Refusal = WorkflowRefusal | ClassRefusal | AgentRefusal;

/** Writes a workflow, or the next version of one. The active version stays active. Each call writes a version. */
export async function putWorkflow(
  core: Pick<Core, "store" | "clock" | "random">,
  request: { agentId: string; id: string | null; name: string; prompt: string },
): Promise<Result<WorkflowRecord, WorkflowRefusal | AgentRefusal>> {
  const now = core.clock.now();
  const { agentId, name, prompt } = request;
  return await core.store.transact(
    async (tx): Promise<Result<WorkflowRecord, WorkflowRefusal | AgentRefusal>> => {
      if ((await tx.agents.find(agentId)) === null) return refused({ reason: "agent_not_found", agentId });
      const known = request.id === null ? null : await tx.workflows.lock(request.id);
      if (request.id !== null && known?.agentId !== agentId) {
        return refused({ reason: "workflow_not_found", workflowId: request.id });
      }
      const workflow: WorkflowRecord = known ?? {
        id: core.random.uuid(now),
        agentId,
        name,
        version: 0,
        activeVersion: null,
        createdAt: now,
        updatedAt: now,
      };
      if (known === null) await tx.workflows.insert(workflow);
      else if (known.name !== name) await tx.workflows.rename({ id: known.id, name });
      const version = workflow.version + 1;
      await tx.workflows.insertVersion({ id: workflow.id, version, prompt, now });
      return ok({ ...workflow, name, version, updatedAt: now });
    },
  );
}

/** An agent's workflows, oldest first. */
export async function listWorkflows(
  core: Core,
  query: { caller: Caller; agentId: string },
): Promise<Result<readonly WorkflowRecord[], ClassRefusal | AgentRefusal>> {
  const { caller, agentId } = query;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  const agent = await reachAgent(core, { caller, agentId });
  return agent.ok ? ok(await core.store.committed.workflows.list(agentId)) : agent;
}

/** Makes a version the one that executions run. Only the account's owner can. Safe to repeat. */
export async function activateWorkflow(
  core: Core,
  request: { caller: Caller; workflowId: string; version: number | null },
): Promise<Result<WorkflowRecord, Refusal>> {
  const found = await reachWorkflow(core, request);
  if (!found.ok) return found;
  const { workflow, caller } = found.value;
  const { id: workflowId, agentId } = workflow;
  const version = request.version ?? workflow.version;
  if (version > workflow.version)
    return refused({ reason: "workflow_version_not_found", workflowId, version });
  if (!isOwner(caller)) {
    return await askOwner(core, { workflow, caller, version, what: "activate a workflow", run: null });
  }
  return await core.store.transact(async (tx) => {
    const activated = await activateWithin(core, tx, { workflowId, version });
    if (activated.ok) {
      await resolveElsewhere(core, tx, { agentId, subject: activationSubject(workflowId, version) });
    }
    return activated;
  });
}

/** The run of an execution, and the version that it runs. */
type Executed = Submitted & { readonly version: number };

type Execution = {
  readonly caller: Caller;
  readonly workflowId: string;
  readonly input: string | null;
  readonly idempotencyKey: string | null;
  /** Left out: the active one. The caller is its owner, who has approved this one. */
  readonly version?: number;
  readonly alongside?: Submission["alongside"];
  /** Left out: the run ends where it could be parked. */
  readonly mayPark?: true;
};

/**
 * Submits the active version as a run. Only the account's owner executes a workflow without one; it runs the newest version.
 * With an idempotency key it is safe to repeat.
 */
export async function executeWorkflow(
  core: Core,
  submitter: RunSubmitter,
  request: Execution,
): Promise<Result<Executed, Refusal | SubmitRefusal | WorkRefusal>> {
  const { input, idempotencyKey, alongside, mayPark } = request;
  const found = await reachWorkflow(core, request);
  if (!found.ok) return found;
  const { workflow, caller } = found.value;
  const version = request.version ?? workflow.activeVersion ?? workflow.version;
  if (workflow.activeVersion === null && !isOwner(caller)) {
    const what = "run a workflow that is not active";
    return await askOwner(core, { workflow, caller, version, what, run: { input } });
  }
  const prompt = await core.store.committed.workflows.findPrompt({ id: workflow.id, version });
  if (prompt === null) {
    return refused({ reason: "workflow_version_not_found", workflowId: workflow.id, version });
  }
  const workspaceId = await core.store.committed.workspaceWorkflows.findWorkspace(workflow.id);
  const fault = workspaceId === null ? null : findAdmissionFault(core, caller.accountId);
  if (fault !== null) return refused(fault);
  const message = input === null ? prompt : `${prompt}\n\n${input}`;
  const submitted = await submitter.submit({
    caller,
    agentId: workflow.agentId,
    body: { message, ...(mayPark === true ? { may_park: true } : {}) },
    idempotencyKey,
    workflow: { id: workflow.id, version, input },
    ...placed(core, { workspaceId, agentId: workflow.agentId, alongside }),
  });
  if (!submitted.ok) return submitted;
  if (!submitted.value.isReplay) return ok({ ...submitted.value, version });
  const original = await core.store.committed.runs.findInput(submitted.value.runId);
  if (original?.workflow === undefined) {
    throw new Error(`Run ${submitted.value.runId} has no workflow, though an execution made it.`);
  }
  return ok({ ...submitted.value, version: original.workflow.version });
}

/** The run of a workspace's workflow is one of the workspace. */
function placed(
  core: Core,
  {
    workspaceId,
    agentId,
    alongside,
  }: { workspaceId: string | null; agentId: string; alongside: Submission["alongside"] },
): Pick<Submission, "workspace" | "alongside"> {
  if (workspaceId === null) return alongside === undefined ? {} : { alongside };
  const workspace = placeIn(workspaceId);
  return {
    workspace,
    alongside: async (tx, run) => {
      await enterWorkspace(core, tx, { ...run, agentId, workspace });
      await alongside?.(tx, run);
    },
  };
}

type Reached = { readonly workflow: WorkflowRecord; readonly caller: AccountCaller };

async function reachWorkflow(
  core: Core,
  request: { caller: Caller; workflowId: string },
): Promise<Result<Reached, Refusal>> {
  const { caller, workflowId } = request;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  const workflow = await core.store.committed.workflows.find(workflowId);
  if (workflow === null) return refused({ reason: "workflow_not_found", workflowId });
  const agent = await reachAgent(core, { caller, agentId: workflow.agentId });
  return agent.ok ? ok({ workflow, caller }) : agent;
}

type OwnersAct = Reached & {
  readonly version: number;
  readonly what: string;
  /** Null: the version is to be activated. */
  readonly run: { readonly input: string | null } | null;
};

/** Refuses what an AI client asked for, and puts it before the owner as it is now. */
async function askOwner(
  core: Core,
  { workflow, caller, version, what, run }: OwnersAct,
): Promise<Result<never, Refusal>> {
  const { id: workflowId, agentId, name } = workflow;
  const prompt = await core.store.committed.workflows.findPrompt({ id: workflowId, version });
  if (prompt === null) return refused({ reason: "workflow_version_not_found", workflowId, version });
  const act = { workflowId, name, version, prompt };
  const action: ApprovalAction =
    run === null ? { kind: "activate_workflow", ...act } : { kind: "run_workflow", ...act, ...run };
  const agent = { id: agentId, accountId: caller.accountId };
  const requestedBy = requesterOf(caller);
  const approval = await core.store.transact((tx) =>
    requestApproval(core, tx, { agent, action, requestedBy }),
  );
  const url = `${core.policy.webUrl}/agent/${agentId}?workflow=${workflowId}`;
  const link = approval === null ? {} : { approveUrl: approveUrl(core.policy, approval.id) };
  return refused({ reason: "owner_needed", what, url, ...link });
}
