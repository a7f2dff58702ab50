// /v1/ci/oidc: a CI job's token for a capability, and the capability's end.

import { Hono } from "hono";
import * as z from "zod/mini";
import {
  ACCESS_TOKEN_TYPE,
  type AudienceResponse,
  CAPABILITY_SCOPE,
  type ExchangeResponse,
  exchangeRequestSchema,
  ID_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from "../../../../contract/ci/exchange.ts";
import { type Exchanged, exchangeToken, revokeCapability } from "../../../core/ci/exchange-token.ts";
import type { Core } from "../../../core/core.ts";
import { callerOf } from "../authenticate.ts";
import { limitByAddress } from "../limit-rate.ts";
import { measureExchange } from "../measure.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 32 * 1024;

/** A missing token is a refusal with a reason of its own, not one wrong field among others. */
const bodySchema = z.extend(exchangeRequestSchema, { subject_token: z._default(z.string(), "") });

export function exchangeRoutes(core: Core, options: { exchangeRatePerMinute: number }): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/v1/ci/oidc/audience", limitByAddress(core), (context) => {
    const body: AudienceResponse = { audience: core.policy.audience };
    return context.json(body);
  });

  routes.use("/v1/ci/oidc/exchange", measureExchange(core));

  routes.post("/v1/ci/oidc/exchange", async (context) => {
    const retryAfterMs = core.limits.take({
      key: `exchange:${context.var.address}`,
      perMinute: options.exchangeRatePerMinute,
      now: core.clock.now(),
    });
    if (retryAfterMs > 0) {
      return answerRefusal(context, { reason: "rate_limited", scope: "address", retryAfterMs });
    }
    const body = await readBody(context, {
      schema: bodySchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: true,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const { subject_token, subject_token_type, grant_type, account = null, sha = null } = body.value;
    if (subject_token === "") {
      const detail = 'The body has no "subject_token". Send the job\'s OIDC token in it.';
      return answerRefusal(context, { reason: "token_missing", detail });
    }
    if (subject_token_type !== undefined && subject_token_type !== ID_TOKEN_TYPE) {
      const detail = `"subject_token_type" must be "${ID_TOKEN_TYPE}", or left out.`;
      return answerRefusal(context, { reason: "token_type_unsupported", detail });
    }
    if (grant_type !== undefined && grant_type !== TOKEN_EXCHANGE_GRANT) {
      const detail = `"grant_type" must be "${TOKEN_EXCHANGE_GRANT}", or left out.`;
      return answerRefusal(context, { reason: "grant_type_unsupported", detail });
    }
    const requestId = context.var.requestId;
    const exchanged = await exchangeToken(core, {
      subjectToken: subject_token,
      statement: { sha },
      requestId,
      account,
    });
    if (!exchanged.ok) return answerRefusal(context, exchanged.refusal);
    context.header("Cache-Control", "no-store");
    return context.json(toResponse(exchanged.value));
  });

  routes.delete("/v1/ci/oidc/exchange", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    if (caller.value.kind !== "ci_job") return answerRefusal(context, { reason: "capability_needed" });
    const { capability } = caller.value;
    await revokeCapability(core, { capability, requestId: context.var.requestId });
    return context.body(null, 204);
  });

  return routes;
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
