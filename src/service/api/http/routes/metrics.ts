// GET /metrics, for a scraper.

import { Hono } from "hono";
import type { Core } from "../../../core/core.ts";
import { answerProblem } from "../problems.ts";
import type { Env } from "../request-context.ts";

export function metricsRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/metrics", async (context) => {
    const exposition = await core.meter.exposition();
    if (exposition === null) {
      const message = "This service is not measured. Its operator can set METRICS to on.";
      return answerProblem(context, { status: 404, code: "not_found", message });
    }
    context.header("Content-Type", exposition.contentType);
    context.header("Cache-Control", "no-store");
    return context.body(exposition.text);
  });

  return routes;
}
