// The probes of a worker: health. Nothing else.

import { Hono } from "hono";
import { operationRoutes } from "../../../contract/operation.ts";
import type { Core } from "../../core/core.ts";
import { operationHandlers } from "./handlers/operation.ts";
import type { Env } from "./request-context.ts";
import { serveRoutes } from "./serve-routes.ts";

export function createProbeApp(core: Core): Hono<Env> {
  const app = new Hono<Env>();
  serveRoutes(app, core, {
    routes: { operation: operationRoutes },
    handlers: { operation: operationHandlers(core) },
    exchangeRatePerMinute: 0,
  });
  return app;
}
