// Callers in a workspace: the account by one of its credentials, or a run of one of its agents. Pure.

import { type AccountCaller, isOwner } from "../accounts/caller.ts";
import type { Actor } from "./actor.ts";

/** A run that works in a workspace as one of its members. It acts for the account, and is no owner. */
export type MemberRun = {
  readonly kind: "member_run";
  readonly accountId: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly runId: string;
};

export type WorkspaceCaller = AccountCaller | MemberRun;

export function actorOf(caller: WorkspaceCaller): Actor {
  if (caller.kind === "member_run") return { type: "run", run_id: caller.runId, agent_id: caller.agentId };
  if (caller.callerClass === "owner") return { type: "owner" };
  return { type: "ai_client", name: caller.clientName ?? null };
}

/** True for a person who decides for the account: not for an AI client, and not for a run. */
export function isWorkspaceOwner(caller: WorkspaceCaller): boolean {
  return caller.kind === "account" && isOwner(caller);
}
