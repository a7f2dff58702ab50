// POST /v1/workspaces.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CreateWorkspaceRequest } from "../../../../contract/workspaces/workspace/workspace.ts";
import type { Account } from "../../accounts/account.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import { lockCurrentAccount } from "../../accounts/subscriptions.ts";
import { findOrMakeAgent } from "../../agents/find-or-make-agent.ts";
import type { AgentEndingRefusal, AgentRefusal, CreateAgentRefusal } from "../../agents/refusals.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyMissingRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { fieldsOn } from "../../ports/record-fields.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import { admissionFault } from "../reach-workspace.ts";
import type { ManagerRefusal, WorkRefusal, WorkspaceCapRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { actorOf } from "../workspace-caller.ts";
import { insertWorkspace } from "./new-workspace.ts";

const DEFAULT_NAME = "workspace";
const fieldsOfWorkspace = fieldsOn<Workspace>();

type Creation = {
  readonly caller: AccountCaller;
  readonly body: CreateWorkspaceRequest;
  readonly idempotencyKey: string | null;
};

type ManagerFault = AgentRefusal | AgentEndingRefusal | CreateAgentRefusal;

/**
 * Makes a workspace without files, and no run, within the plan's cap. Its manager is the named agent, or an independent one that is made
 * with it, and ends with it.
 */
export async function createWorkspace(
  core: Core,
  { caller, body, idempotencyKey: key }: Creation,
): Promise<
  OnceResult<
    Workspace,
    | ManagerFault
    | ManagerRefusal
    | WorkRefusal
    | WorkspaceRefusal
    | WorkspaceCapRefusal
    | KeyMissingRefusal
    | KeyInFlightRefusal
    | KeyReusedRefusal
  >
> {
  const { accountId } = caller;
  if (key === null) return refused({ reason: "key_missing", what: "make a workspace" });
  const { default_manager_agent_id: managerId, ...rest } = body;
  const fields = { name: DEFAULT_NAME, metadata: {}, ...fieldsOfWorkspace(rest) };
  if (managerId === null) return refused({ reason: "manager_missing" });
  const fault = admissionFault(core, caller);
  if (fault !== null) return refused(fault);
  const request = { ...fields, default_manager_agent_id: managerId ?? null };
  type Made = Result<string, ManagerFault | WorkspaceCapRefusal>;
  const made = await onceByKey(
    core,
    { scope: "workspaces", accountId, key, request },
    async (tx): Promise<Made> => {
      const account = await lockCurrentAccount(core, tx, accountId);
      if (account === null) throw new Error(`There is no account ${accountId}, though it has a key.`);
      const full = await capFault(core, tx, account);
      if (full !== null) return refused(full);
      const id = core.random.uuid(core.clock.now());
      const manager = await findManager(core, tx, { account, workspaceId: id, name: fields.name, managerId });
      if (!manager.ok) return manager;
      const createdBy = actorOf(caller);
      const given = { ...fields, id, accountId, managerAgentId: manager.value, createdBy };
      return ok((await insertWorkspace(core, tx, given)).id);
    },
  );
  if (!made.ok) return made;
  const { subjectId: workspaceId } = made.value;
  const workspace = await core.store.committed.workspaces.find(workspaceId);
  return workspace === null
    ? refused({ reason: "workspace_not_found", workspaceId })
    : onceResult(ok(workspace), made.value);
}

/** The caller holds the account's lock, so that its workspaces stay within their cap. */
async function capFault(
  core: Core,
  tx: StoreTransaction,
  account: Account,
): Promise<WorkspaceCapRefusal | null> {
  const { maxWorkspaces: allowed } = core.rates.plans[account.plan];
  if (allowed === null) return null;
  const workspaces = await tx.workspaces.count(account.id);
  return workspaces < allowed ? null : { reason: "workspace_cap_reached", workspaces, allowed };
}

/** The id of the agent that is to manage the workspace. */
async function findManager(
  core: Core,
  tx: StoreTransaction,
  {
    account,
    workspaceId,
    name,
    managerId,
  }: { account: Account; workspaceId: string; name: string; managerId: string | undefined },
): Promise<Result<string, ManagerFault>> {
  if (managerId !== undefined) {
    const agent = await lockOwnAgent(tx, { accountId: account.id, agentId: managerId });
    return agent.ok ? ok(agent.value.id) : agent;
  }
  const body = { name: `${name.slice(0, 240).toWellFormed()} manager`, kind: "independent" as const };
  const made = await findOrMakeAgent(core, tx, { account, body, model: null, workspaceId });
  return made.ok ? ok(made.value.agent.id) : made;
}
