// GET /v1/workspaces, and the workspace of an agent.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "./page.ts";
import type { NoWorkspaceRefusal } from "./refusals.ts";
import type { Workspace } from "./workspace.ts";

/** The account's workspaces, newest first. */
export async function listWorkspaces(
  core: Core,
  { caller: { accountId }, query }: { readonly caller: AccountCaller; readonly query: PageRequest },
): Promise<Result<Page<Workspace>, CursorRefusal>> {
  return await pageById(query, (page) => core.store.committed.workspaces.list({ accountId, ...page }));
}

export type AgentWorkspace = {
  readonly workspace: Workspace;
  /** The others that the agent is a member of. */
  readonly alsoIn: readonly string[];
};

/** The oldest workspace that an agent manages; where it manages none, the oldest that it is a member of. */
export async function findWorkspaceOfAgent(
  core: Core,
  request: { readonly caller: AccountCaller; readonly agentId: string },
): Promise<Result<AgentWorkspace, AgentRefusal | NoWorkspaceRefusal>> {
  const agent = await reachAgent(core, request);
  if (!agent.ok) return agent;
  const { agentId } = request;
  const all = await core.store.committed.workspaces.listOfAgent(agentId);
  const own = all.filter(({ accountId }) => accountId === request.caller.accountId);
  const workspace = own.find(({ managerAgentId }) => managerAgentId === agentId) ?? own[0];
  if (workspace === undefined) return refused({ reason: "agent_without_workspace", agentId });
  return ok({ workspace, alsoIn: own.filter(({ id }) => id !== workspace.id).map(({ id }) => id) });
}
