// The end of what an owner has allowed: of an application by its grant, of a repository's jobs by the policy that let them.

import type { AuditActor } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import { revokeGrantOf } from "../oauth/grants.ts";
import { agentOfClient, endJobGrants } from "../oauth/job-grants.ts";
import { auditAct } from "./audit-act.ts";

type Ender = Pick<Core, "store" | "clock" | "random">;
type Ending = {
  readonly accountId: string;
  readonly id: string;
  readonly by: AuditActor;
  readonly requestId: string;
};

/**
 * Ends one of an account's grants with all its tokens. That of a repository's jobs also takes `mint_keys` from the
 * agent's policy: the next job would else open another. False when the account has no such grant. Safe to repeat.
 */
export async function endAccess(core: Ender, { accountId, id, by, requestId }: Ending): Promise<boolean> {
  const grant = await core.store.committed.oauthGrants.find(id);
  if (grant === null || grant.accountId !== accountId) return false;
  const agentId = agentOfClient(grant.clientId);
  if (agentId === null) return await revokeGrantOf(core, { accountId, id });
  await core.store.transact(async (tx) => {
    // The agent first, as a job does that gets a token.
    const agent = await tx.agents.lock(agentId);
    await endJobGrants(core, tx, { accountId, agentId });
    if (agent?.accountId !== accountId || agent.ciPolicy?.mint_keys !== true) return;
    const { mint_keys: _, ...rest } = agent.ciPolicy;
    await tx.agents.update(agentId, { ciPolicy: Object.keys(rest).length === 0 ? null : rest });
    await auditAct(core, tx, { action: "policy", outcome: "ok", by, agent, requestId });
  });
  return true;
}
