// /healthz: the process lives. /readyz: it can do its work.

import { Hono } from "hono";
import type { Health } from "../../../../contract/operation/health.ts";
import type { Core } from "../../../core/core.ts";
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
