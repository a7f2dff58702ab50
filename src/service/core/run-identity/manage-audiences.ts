// The audiences of an agent's ID tokens: listed by an account's clients, set by its owner.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { mayUseAgent, reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { AudienceGrant } from "./audience-grant.ts";

type Query = { readonly caller: AccountCaller; readonly agentId: string };
type Change = Query & {
  readonly audiences: readonly Omit<AudienceGrant, "grantedAt">[];
  readonly requestId: string;
};
type Listed = Promise<Result<readonly AudienceGrant[], AgentRefusal | ClassRefusal>>;

export async function listAudiences(core: Core, query: Query): Listed {
  const agent = await reachAgent(core, query);
  return agent.ok ? ok(await core.store.committed.runIdentity.listAudiences(query.agentId)) : agent;
}

/** Counts from the next token on. Those that stay keep their time. Safe to repeat. */
export async function setAudiences(core: Core, { caller, agentId, audiences, requestId }: Change): Listed {
  const found = await reachAgent(core, { caller, agentId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "set the audiences of an agent", url });
  }
  return await core.store.transact(
    async (tx): Promise<Result<readonly AudienceGrant[], AgentRefusal | ClassRefusal>> => {
      const agent = await tx.agents.lock(agentId);
      if (agent === null) return refused({ reason: "agent_not_found", agentId });
      if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
      const before = await tx.runIdentity.listAudiences(agentId);
      const now = core.clock.now();
      const byAudience = new Map(audiences.map((one) => [one.audience, one]));
      const grants = [...byAudience.values()].map((one) => ({
        ...one,
        grantedAt: before.find(({ audience }) => audience === one.audience)?.grantedAt ?? now,
      }));
      await tx.runIdentity.setAudiences(agentId, grants);
      const outcome = grants.length === 0 ? "none" : "granted";
      await auditAct(core, tx, { action: "audiences", outcome, by: actorOf(caller), agent, requestId });
      return ok(await tx.runIdentity.listAudiences(agentId));
    },
  );
}
