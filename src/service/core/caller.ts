// Who asks. Every use case that acts for somebody receives one. Pure.

import { ok, type Result, refused } from "../../base/result.ts";
import { hashSecret, isWellFormedSecret } from "../../base/secret-token.ts";
import { CAPABILITY_PREFIX } from "../../contract/exchange.ts";
import type { Core } from "./core.ts";
import type { Agent, Capability } from "./records.ts";
import type { AuthRefusal } from "./refusal.ts";

/** A CI job with a capability for one repository's agent. */
export type Caller = { readonly kind: "ci_job"; readonly capability: Capability };

/** Finds out who holds this bearer credential. Null stands for a request without one. */
export async function authenticate(core: Core, bearer: string | null): Promise<Result<Caller, AuthRefusal>> {
  if (bearer === null) return refused({ reason: "credential_missing" });
  if (!isWellFormedSecret(CAPABILITY_PREFIX, bearer)) return refused({ reason: "credential_malformed" });
  const capability = await core.store.committed.findCapability(hashSecret(bearer));
  if (capability === null) return refused({ reason: "credential_unknown" });
  if (capability.revokedAt !== null) return refused({ reason: "credential_revoked" });
  if (capability.expiresAt <= core.clock.now()) {
    return refused({ reason: "credential_expired", expiredAt: capability.expiresAt });
  }
  return ok({ kind: "ci_job", capability });
}

/** A capability is bound to one agent, and the agent to one repository. */
export function mayUseAgent(caller: Caller, agent: Pick<Agent, "id">): boolean {
  return caller.capability.agentId === agent.id;
}
