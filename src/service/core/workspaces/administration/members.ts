// The agents that work in a workspace: listed, added, taken out.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { AddMemberRequest } from "../../../../contract/workspaces/members.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { endConsumersOf } from "../consumers/end-consumers.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import type { ManagerInUseRefusal } from "../managed-workspaces.ts";
import type { Member } from "../members/member.ts";
import type { MemberRefusal } from "../members/refusals.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";

/** A member, and whether it is the manager of its workspace. */
export type ShownMember = { readonly member: Member; readonly isManager: boolean };

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };

/** Newest first. */
export async function listMembers(
  core: Core,
  { query, ...request }: InWorkspace & { readonly query: PageRequest },
): Promise<Result<Page<ShownMember>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  const page = await pageById(query, (of) => core.store.committed.members.list({ workspaceId, ...of }));
  if (!page.ok) return page;
  return ok({ ...page.value, items: page.value.items.map((member) => shownIn(workspace.value, member)) });
}

/** Adds an agent, or finds its membership. As a manager it takes the place of the one before. */
export async function addMember(
  core: Core,
  { body, ...request }: InWorkspace & { readonly body: AddMemberRequest },
): Promise<Result<ShownMember, WorkspaceRefusal | WorkRefusal | AgentRefusal | AgentEndingRefusal>> {
  const { agent_id: agentId, role = "worker" } = body;
  return await core.store.transact(
    async (
      tx,
    ): Promise<Result<ShownMember, WorkspaceRefusal | WorkRefusal | AgentRefusal | AgentEndingRefusal>> => {
      await tx.workspaces.lock(request.workspaceId);
      const workspace = await reachForWork(core, request, tx);
      if (!workspace.ok) return workspace;
      const joined = await joinWorkspace(core, tx, { workspace: workspace.value, agentId });
      if (!joined.ok || role === "worker") {
        return joined.ok ? ok(shownIn(workspace.value, joined.value)) : joined;
      }
      await tx.workspaces.update(workspace.value.id, { managerAgentId: agentId });
      return ok({ member: joined.value, isManager: true });
    },
  );
}

/** Makes an agent of the account a member, where it is none. The caller holds the workspace's lock. */
export async function joinWorkspace(
  core: Core,
  tx: StoreTransaction,
  { workspace, agentId }: { readonly workspace: Workspace; readonly agentId: string },
): Promise<Result<Member, AgentRefusal | AgentEndingRefusal>> {
  const { id: workspaceId, accountId } = workspace;
  const agent = await lockOwnAgent(tx, { accountId, agentId });
  if (!agent.ok) return agent;
  const known = await tx.members.findOfAgent({ workspaceId, agentId });
  if (known !== null) return ok(known);
  const now = core.clock.now();
  const member: Member = { id: core.random.uuid(now), workspaceId, agentId, createdAt: now };
  await tx.members.insert(member);
  return ok(member);
}

/** Takes an agent out. What it was to do there later is cancelled; its runs in flight end by themselves. */
export async function removeMember(
  core: Core,
  { memberId, ...request }: InWorkspace & { readonly memberId: string },
): Promise<Result<ShownMember, WorkspaceRefusal | MemberRefusal | ManagerInUseRefusal>> {
  const { workspaceId } = request;
  const removed = await core.store.transact(
    async (tx): Promise<Result<ShownMember, WorkspaceRefusal | MemberRefusal | ManagerInUseRefusal>> => {
      await tx.workspaces.lock(workspaceId);
      const workspace = await reachWorkspace(core, request, tx);
      if (!workspace.ok) return workspace;
      const member = await tx.members.find(memberId);
      if (member?.workspaceId !== workspaceId) {
        return refused({ reason: "member_not_found", memberId, workspaceId });
      }
      const { agentId } = member;
      if (workspace.value.managerAgentId === agentId) {
        return refused({ reason: "manager_in_use", agentId, workspaceIds: [workspaceId] });
      }
      await endConsumersOf(core, tx, { workspaceId, agentId });
      await tx.members.delete(memberId);
      return ok({ member, isManager: false });
    },
  );
  if (removed.ok) core.scheduleAlarm.ring();
  return removed;
}

function shownIn({ managerAgentId }: Workspace, member: Member): ShownMember {
  return { member, isManager: member.agentId === managerAgentId };
}
