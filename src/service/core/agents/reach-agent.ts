// Agents that a caller may use.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import type { Agent } from "./agent.ts";
import type { AgentRefusal } from "./refusals.ts";

declare module "../core.ts" {
  interface Core {
    readonly reads: SharedReading;
  }
}

/** Reads that callers share who ask at the same moment. Runs declare theirs. */
export interface SharedReading {
  findAgent(agentId: string): Promise<Agent | null>;
}

/** A capability is bound to one agent; an account uses those that it owns. */
export function mayUseAgent(caller: Caller, agent: Pick<Agent, "id" | "accountId">): boolean {
  switch (caller.kind) {
    case "ci_job":
      return caller.capability.agentId === agent.id;
    case "account":
      return caller.accountId === agent.accountId;
  }
}

/** The agent, when there is one and the caller may use it. */
export async function reachAgent(
  core: Core,
  request: { caller: Caller; agentId: string },
): Promise<Result<Agent, AgentRefusal>> {
  const { caller, agentId } = request;
  const agent = await core.reads.findAgent(agentId);
  if (agent === null) return refused({ reason: "agent_not_found", agentId });
  return mayUseAgent(caller, agent) ? ok(agent) : refused({ reason: "agent_of_another", agentId });
}
