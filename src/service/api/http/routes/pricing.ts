// GET /v1/pricing/models and /v1/pricing/tools: public, and the same until the service starts with other rates.

import { Hono } from "hono";
import type { Core } from "../../../core/core.ts";
import { modelPricing, toolPricing } from "../../../core/money/rate-cards.ts";
import { answerTagged, tagBody } from "../entity-tag.ts";
import { limitByAddress } from "../limit-rate.ts";
import type { Env } from "../request-context.ts";

const KEEP = { contentType: "application/json", cacheControl: "public, max-age=300" };

export function pricingRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  const models = { ...tagBody(JSON.stringify(modelPricing(core.rates))), ...KEEP };
  const tools = { ...tagBody(JSON.stringify(toolPricing(core.rates))), ...KEEP };

  routes.get("/v1/pricing/models", limitByAddress(core), (context) => answerTagged(context, models));
  routes.get("/v1/pricing/tools", limitByAddress(core), (context) => answerTagged(context, tools));

  return routes;
}
