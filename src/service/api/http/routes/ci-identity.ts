// GET /v1/ci/identity: what is bound to the capability that the request carries.

import { Hono } from "hono";
import { readIdentity } from "../../../core/ci/read-identity.ts";
import type { Core } from "../../../core/core.ts";
import { callerOf } from "../authenticate.ts";
import { answerRefusal } from "../problems.ts";
import type { Env } from "../request-context.ts";

export function ciIdentityRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/v1/ci/identity", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const identity = await readIdentity(core, caller.value);
    if (!identity.ok) return answerRefusal(context, identity.refusal);
    context.header("Cache-Control", "no-store");
    return context.json(identity.value);
  });

  return routes;
}
