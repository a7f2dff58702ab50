// /v1/agents/{agentID}/audiences and /v1/runs/{runID}/id-token.

import type { runIdentityRoutes } from "../../../../contract/run-identity.ts";
import type { Core } from "../../../core/core.ts";
import type { AudienceGrant } from "../../../core/run-identity/audience-grant.ts";
import { listAudiences, setAudiences } from "../../../core/run-identity/manage-audiences.ts";
import { mintForCaller } from "../../../core/run-identity/mint-token.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function runIdentityHandlers(core: Core): NounHandlers<typeof runIdentityRoutes> {
  const view = (grants: readonly AudienceGrant[]) =>
    grants.map(({ audience, allowsUntrusted, grantedAt }) => ({
      audience,
      allows_untrusted: allowsUntrusted,
      granted_at: new Date(grantedAt).toISOString(),
    }));
  return {
    list: async ({ caller, params }) =>
      shown(await listAudiences(core, { caller, agentId: params.agentID }), view),
    put: async ({ caller, params, body, requestId }) => {
      const audiences = body.audiences.map(({ audience, allows_untrusted: allowsUntrusted = false }) => ({
        audience,
        allowsUntrusted,
      }));
      return shown(await setAudiences(core, { caller, agentId: params.agentID, audiences, requestId }), view);
    },
    mint: async ({ caller, params, body, requestId }) =>
      shown(
        await mintForCaller(core, { caller, runId: params.runID, audience: body.audience, requestId }),
        ({ token, expiresAt }) => ({ token, expires_at: new Date(expiresAt).toISOString() }),
      ),
  };
}
