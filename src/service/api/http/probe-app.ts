// What a worker answers: whether it lives, whether it can work, what it measures. Nothing else.

import { Hono } from "hono";
import type { Core } from "../../core/core.ts";
import type { Env } from "./request-context.ts";
import { healthRoutes } from "./routes/health.ts";
import { metricsRoutes } from "./routes/metrics.ts";

export function createProbeApp(core: Core): Hono<Env> {
  const app = new Hono<Env>();
  app.route("/", healthRoutes(core));
  app.route("/", metricsRoutes(core));
  return app;
}
