// GET /v1/users/{userID}/credits.

import { Hono } from "hono";
import type { Core } from "../../../core/core.ts";
import { readCredits } from "../../../core/money/read-credits.ts";
import { callerOf } from "../authenticate.ts";
import { answerRefusal } from "../problems.ts";
import type { Env } from "../request-context.ts";

export function creditRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/v1/users/:userId/credits", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const userId = context.req.param("userId");
    const credits = await readCredits(core, { caller: caller.value, userId });
    if (!credits.ok) return answerRefusal(context, credits.refusal);
    context.header("Cache-Control", "private, no-store");
    return context.json(credits.value);
  });

  return routes;
}
