// Stops an agent: every run of it that is in flight.

import type { Result } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { findAgent } from "../agents/manage-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { cancelRun } from "./cancel-run.ts";

/** Runs that are cancelled at the same time. */
const CANCELS_AT_ONCE = 20;

/** Cancels every run of the agent that is in flight. The agent stays and takes new work. Safe to repeat. */
export async function stopAgent(
  core: Core,
  query: { readonly caller: Caller; readonly agentId: string },
): Promise<Result<Agent, AgentRefusal | ClassRefusal>> {
  const found = await findAgent(core, query);
  if (!found.ok) return found;
  const runIds = await core.store.committed.runs.listUnfinishedOfAgent(query.agentId);
  for (let start = 0; start < runIds.length; start += CANCELS_AT_ONCE) {
    const batch = runIds.slice(start, start + CANCELS_AT_ONCE);
    // A run that has ended in the meantime is refused, which is as good.
    await Promise.all(batch.map((runId) => cancelRun(core, { ...query, runId })));
  }
  return found;
}
