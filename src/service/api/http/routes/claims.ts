// POST /v1/ci/claim: an account asks for a repository's agent.

import { Hono } from "hono";
import { type ClaimResponse, claimRequestSchema } from "../../../../contract/claims/claim.ts";
import { type Claimed, claimRepository } from "../../../core/claims/claim-repository.ts";
import type { Core } from "../../../core/core.ts";
import { callerOf } from "../authenticate.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 4 * 1024;

export function claimRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post("/v1/ci/claim", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    if (caller.value.kind !== "account") return answerRefusal(context, { reason: "account_needed" });
    const body = await readBody(context, {
      schema: claimRequestSchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: false,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const claimed = await claimRepository(core, {
      caller: caller.value,
      token: body.value.claim,
      requestId: context.var.requestId,
    });
    if (!claimed.ok) return answerRefusal(context, claimed.refusal);
    context.header("Cache-Control", "no-store");
    return context.json(toResponse(claimed.value), claimed.value.expiresAt === null ? 200 : 202);
  });

  return routes;
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
