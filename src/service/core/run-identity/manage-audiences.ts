// The audiences of an agent's ID tokens: listed by an account's clients, granted and revoked by its owner.

import { ok, type Result, refused } from "../../../base/result.ts";
import { MAX_AUDIENCES } from "../../../contract/run-identity.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { mayUseAgent, reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { AudienceGrant } from "./audience-grant.ts";
import type { AudiencesRefusal } from "./refusals.ts";

type Query = { readonly caller: AccountCaller; readonly agentId: string };
type Named = Omit<AudienceGrant, "grantedAt">;
type Change = Query & { readonly requestId: string };
type Refusals = AgentRefusal | ClassRefusal | AudiencesRefusal;
type Listed = Promise<Result<readonly AudienceGrant[], Refusals>>;

export async function listAudiences(core: Core, query: Query): Listed {
  const agent = await reachAgent(core, query);
  return agent.ok ? ok(await core.store.committed.runIdentity.listAudiences(query.agentId)) : agent;
}

/** Counts from the next token on. Those that stay keep their time. Safe to repeat. */
export async function setAudiences(
  core: Core,
  { audiences, ...change }: Change & { readonly audiences: readonly Named[] },
): Listed {
  return await changeAudiences(core, change, () => audiences);
}

/** Grants one more, or changes whom it is for. Safe to repeat. */
export async function grantAudience(
  core: Core,
  { audience, allowsUntrusted, ...change }: Change & Named,
): Listed {
  return await changeAudiences(core, change, (before) => [...before, { audience, allowsUntrusted }]);
}

/** Safe to repeat. */
export async function revokeAudience(
  core: Core,
  { audience, ...change }: Change & Pick<Named, "audience">,
): Listed {
  return await changeAudiences(core, change, (before) => before.filter((one) => one.audience !== audience));
}

async function changeAudiences(
  core: Core,
  { caller, agentId, requestId }: Change,
  change: (before: readonly Named[]) => readonly Named[],
): Listed {
  const found = await reachAgent(core, { caller, agentId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "set the audiences of an agent", url });
  }
  return await core.store.transact(async (tx): Listed => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
    const before = await tx.runIdentity.listAudiences(agentId);
    const now = core.clock.now();
    const byAudience = new Map(change(before).map((one) => [one.audience, one]));
    if (byAudience.size > MAX_AUDIENCES)
      return refused({ reason: "audiences_reached", agentId, allowed: MAX_AUDIENCES });
    const grants = [...byAudience.values()].map((one) => ({
      ...one,
      grantedAt: before.find(({ audience }) => audience === one.audience)?.grantedAt ?? now,
    }));
    await tx.runIdentity.setAudiences(agentId, grants);
    const outcome = grants.length === 0 ? "none" : "granted";
    await auditAct(core, tx, { action: "audiences", outcome, by: actorOf(caller), agent, requestId });
    return ok(await tx.runIdentity.listAudiences(agentId));
  });
}
