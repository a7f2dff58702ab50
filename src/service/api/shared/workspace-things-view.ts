// Members, sessions and context items of a workspace as the contract shows them. Pure.

import type { ContextItemView } from "../../../contract/workspaces/context-items.ts";
import type { MemberView } from "../../../contract/workspaces/members.ts";
import type { ThreadView } from "../../../contract/workspaces/threads.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { ShownMember } from "../../core/workspaces/administration/members.ts";
import type { ContextItem } from "../../core/workspaces/context-items/context-item.ts";
import type { Thread } from "../../core/workspaces/threads/thread.ts";

export function toMember({ member, isManager }: ShownMember): MemberView {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    agent_id: member.agentId,
    role: isManager ? "manager" : "worker",
    created_at: isoTime(member.createdAt),
  };
}

export function toThread(thread: Thread): ThreadView {
  return {
    id: thread.id,
    workspace_id: thread.workspaceId,
    agent_id: thread.agentId,
    title: thread.title,
    created_at: isoTime(thread.createdAt),
  };
}

export function toContextItem(item: ContextItem): ContextItemView {
  return {
    id: item.id,
    workspace_id: item.workspaceId,
    kind: item.kind,
    title: item.title,
    content: item.content,
    created_at: isoTime(item.createdAt),
  };
}
