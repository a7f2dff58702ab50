// Grants of an account to CI jobs of a claimed repository, among those of applications: shown and ended in the same place. One a
// repository's agent and scope. Whoever calls holds the agent's row until the transaction ends.

import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { isAlive, type OAuthGrant } from "./grant.ts";
import { endGrant, GRANT_MS } from "./grants.ts";

/** No application has such an id: theirs are addresses or made here. */
const JOB_CLIENT = "ci-agent:";

/** The client that jobs of an agent's repository are. */
export function jobClientOf(agentId: string): string {
  return JOB_CLIENT + agentId;
}

/** The agent whose jobs a client is. Null for an application. */
export function agentOfClient(clientId: string): string | null {
  return clientId.startsWith(JOB_CLIENT) ? clientId.slice(JOB_CLIENT.length) : null;
}

type JobGrant = Pick<OAuthGrant, "accountId" | "clientName" | "scope" | "resource"> & {
  readonly agentId: string;
  /** It lives at least until then. */
  readonly until: number;
};

/** The living grant of these jobs and this scope, opened where there is none. */
export async function jobGrant(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  { agentId, until, ...terms }: JobGrant,
): Promise<OAuthGrant> {
  const now = core.clock.now();
  const clientId = jobClientOf(agentId);
  const listed = await tx.oauthGrants.list({ accountId: terms.accountId, now });
  const fits = (grant: OAuthGrant) =>
    grant.clientId === clientId && grant.scope === terms.scope && grant.expiresAt >= until;
  const found = listed.find(fits);
  const living = found === undefined ? null : await tx.oauthGrants.lock(found.id);
  if (living !== null && isAlive(living, now)) {
    await tx.oauthGrants.touch({ id: living.id, now });
    return { ...living, lastUsedAt: now };
  }
  const dates = { createdAt: now, expiresAt: now + GRANT_MS, lastUsedAt: now, revokedAt: null };
  const grant: OAuthGrant = { id: core.random.uuid(now), ...terms, personId: null, clientId, ...dates };
  await tx.oauthGrants.insert(grant);
  return grant;
}

/** Ends all grants of an agent's jobs, with their tokens. Safe to repeat. */
export async function endJobGrants(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { accountId, agentId }: { accountId: string; agentId: string },
): Promise<void> {
  const now = core.clock.now();
  const clientId = jobClientOf(agentId);
  for (const grant of await tx.oauthGrants.list({ accountId, now })) {
    if (grant.clientId === clientId) await endGrant(tx, { id: grant.id, now });
  }
}
