// An account's agents after they were made: listed, read, changed, stopped, retired.

import { ok, type Result, refused } from "../../base/result.ts";
import type { UpdateAgentRequest } from "../../contract/agent.ts";
import { type Caller, reachAgent } from "./caller.ts";
import { cancelRun } from "./cancel-run.ts";
import type { Core } from "./core.ts";
import type { Agent } from "./records.ts";
import type { AgentRefusal, ClassRefusal } from "./refusal.ts";

/** Runs that are asked to end at a time. */
const CANCELS_AT_ONCE = 20;

type AgentQuery = { readonly caller: Caller; readonly agentId: string };
type AgentResult = Promise<Result<Agent, AgentRefusal | ClassRefusal>>;

/** The caller's agents, newest first, retired ones too. */
export async function listAgents(
  core: Core,
  query: { caller: Caller; withIndependent: boolean },
): Promise<Result<readonly Agent[], ClassRefusal>> {
  const { caller, withIndependent } = query;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  return ok(await core.store.committed.listAgents({ accountId: caller.accountId, withIndependent }));
}

/** An agent of the caller's account. */
export async function findAgent(core: Core, query: AgentQuery): AgentResult {
  if (query.caller.kind !== "account") return refused({ reason: "account_needed" });
  return await reachAgent(core, query);
}

/** Changes what the request names, and nothing else. Safe to repeat. */
export async function updateAgent(
  core: Core,
  request: AgentQuery & { readonly body: UpdateAgentRequest },
): AgentResult {
  const found = await findAgent(core, request);
  const cap = request.body.advisor_max_spend_micro_usd;
  if (!found.ok || cap === undefined) return found;
  const change = { advisorMaxSpendMicroUsd: cap };
  await core.store.transact((tx) => tx.updateAgent(found.value.id, change));
  return ok({ ...found.value, ...change });
}

/** Asks every run of the agent that is in flight to end. The agent stays and takes new work. Safe to repeat. */
export async function stopAgent(core: Core, query: AgentQuery): AgentResult {
  const found = await findAgent(core, query);
  if (!found.ok) return found;
  const runIds = await core.store.committed.listUnfinishedRunsOf(query.agentId);
  for (let start = 0; start < runIds.length; start += CANCELS_AT_ONCE) {
    const batch = runIds.slice(start, start + CANCELS_AT_ONCE);
    // One that has ended meanwhile refuses: that is as good.
    await Promise.all(batch.map((runId) => cancelRun(core, { ...query, runId })));
  }
  return found;
}

/** Keeps new work from the agent; what is in flight goes on. For good. Safe to repeat. */
export async function retireAgent(core: Core, query: AgentQuery): AgentResult {
  const found = await findAgent(core, query);
  if (!found.ok || found.value.retiredAt !== null) return found;
  const change = { retiredAt: core.clock.now() };
  await core.store.transact((tx) => tx.updateAgent(found.value.id, change));
  return ok({ ...found.value, ...change });
}
