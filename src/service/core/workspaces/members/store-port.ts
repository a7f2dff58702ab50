// The agents that work in workspaces. Implemented in store/workspaces/members.ts.

import type { WorkspaceThingsPage } from "../../ports/workspace-page.ts";
import type { Member } from "./member.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly members: MemberReader;
  }
  interface StoreTransaction {
    readonly members: MemberStore;
  }
}

interface MemberReader {
  find(id: string): Promise<Member | null>;
  /** The agent's membership in one workspace. */
  findOfAgent(query: { workspaceId: string; agentId: string }): Promise<Member | null>;
  /** Newest first. */
  list(page: WorkspaceThingsPage): Promise<readonly Member[]>;
}

export interface MemberStore extends MemberReader {
  /** False, and nothing written, where the agent is a member already. */
  insert(member: Member): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** Ends every membership of an agent. */
  deleteOfAgent(agentId: string): Promise<void>;
}
