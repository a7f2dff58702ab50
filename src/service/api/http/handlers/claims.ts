// POST /v1/ci/claim: an account claims a repository's agent.

import { ok } from "../../../../base/result.ts";
import type { ClaimResponse, claimRoutes } from "../../../../contract/claims.ts";
import { type Claimed, claimRepository } from "../../../core/claims/claim-repository.ts";
import type { Core } from "../../../core/core.ts";
import type { NounHandlers } from "../handler.ts";

export function claimHandlers(core: Core): NounHandlers<typeof claimRoutes> {
  return {
    create: async ({ caller, body, requestId }) => {
      const claimed = await claimRepository(core, { caller, token: body.claim, requestId });
      if (!claimed.ok) return claimed;
      return ok({ body: toResponse(claimed.value), status: claimed.value.expiresAt === null ? 200 : 202 });
    },
  };
}

function toResponse({ repository, agentId, expiresAt }: Claimed): ClaimResponse {
  const { provider, id, ownerId, name, visibility } = repository;
  return {
    repository: { provider, id, owner_id: ownerId, name, visibility },
    agent_id: agentId,
    status: expiresAt === null ? "claimed" : "pending",
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}
