// The lock of an agent that may manage a workspace.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Agent } from "../agents/agent.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../agents/refusals.ts";
import type { StoreTransaction } from "../ports/store.ts";

/**
 * An agent of the account that takes work, locked, so that it is neither retired nor released until the transaction ends. The
 * workspace, where there is one, is locked before it.
 */
export async function lockOwnAgent(
  tx: StoreTransaction,
  { accountId, agentId }: { readonly accountId: string; readonly agentId: string },
): Promise<Result<Agent, AgentRefusal | AgentEndingRefusal>> {
  const agent = await tx.agents.lock(agentId);
  if (agent === null) return refused({ reason: "agent_not_found", agentId });
  if (agent.accountId !== accountId) return refused({ reason: "agent_of_another", agentId });
  return agent.retiredAt === null ? ok(agent) : refused({ reason: "agent_ending", agentId });
}
