// /v1/ci: a CI job's token for a capability and the capability's end, its identity, and the events of a run.

import { ok, refused } from "../../../../base/result.ts";
import {
  ACCESS_TOKEN_TYPE,
  CAPABILITY_SCOPE,
  type ExchangeRequest,
  type ExchangeResponse,
  ID_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from "../../../../contract/ci/exchange.ts";
import type { ciRoutes } from "../../../../contract/ci/routes.ts";
import { type Exchanged, exchangeToken, revokeCapability } from "../../../core/ci/exchange-token.ts";
import { readIdentity } from "../../../core/ci/read-identity.ts";
import type { Core } from "../../../core/core.ts";
import { linkRunPage } from "../../../core/run-views/run-views.ts";
import { type EventPage, readEventPage } from "../../../core/runs/read-run.ts";
import { renewAccess } from "../../../core/runs/renew-access.ts";
import { renewServerAccess } from "../../../core/runs/renew-server-access.ts";
import { reportDelivery } from "../../../core/runs/report-delivery.ts";
import { refundCaller } from "../../shared/admit-caller.ts";
import { toReported } from "../../shared/delivery-view.ts";
import { eventFields, runText } from "../../shared/stream-text.ts";
import { JsonText, type NounHandlers, shown } from "../handler.ts";

export function ciHandlers(core: Core): NounHandlers<typeof ciRoutes> {
  return {
    audience: async () => ok({ body: { audience: core.policy.audience } }),
    exchange: async ({ body, requestId }) => {
      const { subject_token: subjectToken = "", account = null, sha = null } = body;
      const { default_branch: defaultBranch, claim_link: claimLink } = body;
      const fault = faultOf(body);
      if (fault !== null) return refused(fault);
      const statement = { sha, ...(defaultBranch === undefined ? {} : { defaultBranch }) };
      const wantsClaimUrl = claimLink === "always";
      const request = { subjectToken, statement, requestId, account, wantsClaimUrl };
      return shown(await exchangeToken(core, request), toResponse);
    },
    revoke: async ({ caller: { capability }, requestId }) => {
      await revokeCapability(core, { capability, requestId });
      return ok({ body: null });
    },
    identity: async ({ caller }) => shown(await readIdentity(core, caller), (identity) => identity),
    readRun: async ({ caller, params, query: { after, wait, limit }, signal }) => {
      const request = { caller, runId: params.runID, after, limit, waitMs: wait * 1000, signal };
      const page = await readEventPage(core, request);
      // Polls come as often as events do: how often that is, the run decides.
      if (page.ok && page.value.wasWoken) refundCaller(core, caller);
      return shown(page, toJson);
    },
    linkPage: async ({ caller, params }) =>
      shown(await linkRunPage(core, { caller, runId: params.runID }), ({ url, isShared }) => ({
        page_url: url,
        shared: isShared,
      })),
    renewModelAccess: async ({ caller, params, body }) =>
      shown(await renewAccess(core, { caller, runId: params.runID, access: body }), () => null),
    renewMcpAccess: async ({ caller, params, body }) =>
      shown(
        await renewServerAccess(core, { caller, runId: params.runID, accesses: body.mcp_access }),
        () => null,
      ),
    reportDelivery: async ({ caller, params, body }) =>
      shown(await reportDelivery(core, { caller, runId: params.runID, report: body }), toReported),
  };
}

/** The fault of a request for an exchange before its token is read. */
function faultOf({ subject_token = "", subject_token_type, grant_type }: ExchangeRequest) {
  if (subject_token === "") {
    const detail = 'The body has no "subject_token". Send the job\'s OIDC token in it.';
    return { reason: "token_missing", detail } as const;
  }
  if (subject_token_type !== undefined && subject_token_type !== ID_TOKEN_TYPE) {
    const detail = `"subject_token_type" must be "${ID_TOKEN_TYPE}", or left out.`;
    return { reason: "token_type_unsupported", detail } as const;
  }
  if (grant_type !== undefined && grant_type !== TOKEN_EXCHANGE_GRANT) {
    const detail = `"grant_type" must be "${TOKEN_EXCHANGE_GRANT}", or left out.`;
    return { reason: "grant_type_unsupported", detail } as const;
  }
  return null;
}

/** The page as the contract has it. */
function toJson({ run, events, next, done }: EventPage): JsonText {
  const items = events.map((event) => `{${eventFields(event)}}`);
  return new JsonText(`{"run":${runText(run)},"events":[${items.join(",")}],"next":${next},"done":${done}}`);
}

function toResponse(exchanged: Exchanged): ExchangeResponse {
  const { capability, agent, quota, claim } = exchanged;
  const { repository, provider } = capability.job;
  return {
    access_token: exchanged.accessToken,
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: "Bearer",
    expires_in: Math.floor((capability.expiresAt - capability.issuedAt) / 1000),
    scope: CAPABILITY_SCOPE,
    agent_id: agent.id,
    repository: {
      provider,
      id: repository.id,
      owner_id: repository.ownerId,
      name: repository.name,
      visibility: repository.visibility,
    },
    quota: {
      audience: quota.audience,
      credits_remaining: quota.creditsRemaining,
      resets_at: new Date(exchanged.resetsAt).toISOString(),
    },
    claim_url: quota.claimUrl,
    ...(claim === null ? {} : { claim }),
  };
}
