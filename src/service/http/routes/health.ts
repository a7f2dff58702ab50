// /healthz: the process lives. /readyz: it can do its work. /openapi.json: what it speaks.

import { Hono } from "hono";
import type { Health } from "../../../contract/health.ts";
import { openApiDocument } from "../../../contract/openapi.ts";
import type { Core } from "../../core/core.ts";
import type { Env } from "../request-context.ts";

export function healthRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/healthz", (context) => {
    const body: Health = { status: "ok" };
    return context.json(body);
  });

  routes.get("/readyz", async (context) => {
    const status = core.signals.isClosed ? "draining" : await storeStatus(core);
    const body: Health = { status };
    return context.json(body, status === "ok" ? 200 : 503);
  });

  routes.get("/openapi.json", (context) => context.json(openApiDocument(core.policy.baseUrl)));

  return routes;
}

async function storeStatus(core: Core): Promise<Health["status"]> {
  try {
    await core.store.ping();
    return "ok";
  } catch (cause) {
    core.log.warn({ err: cause }, "store does not answer");
    return "unavailable";
  }
}
