// The write grants of an agent: listed by an account's clients, set and revoked by its owner.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { mayUseAgent, reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { grantSubject } from "../approvals/approval-subject.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { grantWithin } from "./grant-within.ts";
import { EVERY_SERVER, type WriteGrant } from "./write-grant.ts";

type Query = { readonly caller: AccountCaller; readonly agentId: string };
type Change = Query & { readonly server: string; readonly requestId: string };
type Listed = Promise<Result<readonly WriteGrant[], AgentRefusal | ClassRefusal>>;

export async function listGrants(core: Core, query: Query): Listed {
  const agent = await reachAgent(core, query);
  return agent.ok ? ok(await core.store.committed.writeGrants.list(query.agentId)) : agent;
}

/** Lets the agent's runs write by the tools of a server, or of every one. Returns all grants. Safe to repeat. */
export async function grantWrites(core: Core, change: Change): Listed {
  const { agentId, server } = change;
  return await changeGrants(core, change, async (tx) => {
    await grantWithin(core, tx, { agentId, server });
    const granted =
      server === EVERY_SERVER
        ? (await tx.approvals.listPendingOf(agentId)).flatMap(({ action }) =>
            action.kind === "grant_writes" ? [action.server] : [],
          )
        : [server];
    for (const one of granted) await resolveElsewhere(core, tx, { agentId, subject: grantSubject(one) });
    return "granted";
  });
}

/** Takes effect at the next call, also in a run that is under way. Returns the grants that are left. Safe to repeat. */
export async function revokeWrites(core: Core, change: Change): Listed {
  const { agentId, server } = change;
  return await changeGrants(core, change, async (tx) => {
    await tx.writeGrants.delete({ agentId, server });
    return "revoked";
  });
}

async function changeGrants(
  core: Core,
  { caller, agentId, requestId }: Change,
  apply: (tx: StoreTransaction) => Promise<"granted" | "revoked">,
): Listed {
  const found = await reachAgent(core, { caller, agentId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "set a write grant", url });
  }
  return await core.store.transact(
    async (tx): Promise<Result<readonly WriteGrant[], AgentRefusal | ClassRefusal>> => {
      const agent = await tx.agents.lock(agentId);
      if (agent === null) return refused({ reason: "agent_not_found", agentId });
      if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
      const outcome = await apply(tx);
      await auditAct(core, tx, { action: "write_grant", outcome, by: actorOf(caller), agent, requestId });
      return ok(await tx.writeGrants.list(agentId));
    },
  );
}
