// Faults of a run's own access to a model: of this service, this agent, or this token. Pure.

import { isConfidential } from "../../../base/confidential-url.ts";
import { apiOfModel } from "../../../contract/models/federations.ts";
import type { ModelAccess } from "../../../contract/runs/model-access.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { AccessLifeRefusal, AccessPlaceRefusal, ModelAccessRefusal } from "./refusals.ts";

/** The remaining life that a token must have: less is no time for one answer. */
const LEAST_ACCESS_MS = 30_000;
/** A token is kept no longer, whatever its job says of it. */
const MAX_KEPT_MS = 24 * 60 * 60 * 1000;

/** Why the access is not taken; null where it is. */
export function findAccessFault(
  core: Pick<Core, "policy" | "secretKeys" | "clock">,
  { agent, access }: { readonly agent: Pick<Agent, "backend">; readonly access: ModelAccess },
): ModelAccessRefusal | null {
  const { coderWire, takesModelAccess } = core.policy;
  if (!takesModelAccess) return { reason: "not_executed" };
  const place = findPlaceFault(core);
  if (place !== null) return place;
  const { provider, model, address = {} } = access;
  if (coderWire !== null && coderWire.backend === agent.backend) {
    const spoken = coderWire.wire;
    if (spoken !== apiOfModel({ provider, identifiers: address }, model).wire)
      return { reason: "wire_unsupported", provider, spoken };
  }
  return findLifeFault(core.clock.now(), Date.parse(access.expires_at));
}

/** Why this service takes and keeps no access token at all; null where it does. */
export function findPlaceFault({
  policy: { baseUrl },
  secretKeys,
}: Pick<Core, "policy" | "secretKeys">): AccessPlaceRefusal | null {
  if (!isConfidential(baseUrl)) return { reason: "service_insecure", baseUrl };
  return secretKeys === null ? { reason: "secrets_key_missing" } : null;
}

export function findLifeFault(now: number, expiresAt: number): AccessLifeRefusal | null {
  if (expiresAt <= now) return { reason: "access_expired", expiresAt };
  if (expiresAt < now + LEAST_ACCESS_MS)
    return { reason: "access_ending", expiresAt, leastMs: LEAST_ACCESS_MS };
  return null;
}

/** When the token is forgotten at the latest. */
export function keptUntil(now: number, expiresAt: number): number {
  return Math.min(expiresAt, now + MAX_KEPT_MS);
}
