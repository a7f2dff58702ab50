// Tells the meter of every answer: by route pattern, so that no id and no stranger's text becomes a label.

import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Core } from "../core/core.ts";
import type { Env } from "./request-context.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The pattern as the OpenAPI document spells it. "none" where no route took the request. */
const labels = new Map([["/*", "none"]]);

export function measure(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    const startedAt = core.clock.now();
    await next();
    const pattern = routePath(context, -1);
    let route = labels.get(pattern);
    if (route === undefined) {
      route = pattern.replace(/:(\w+)/g, "{$1}");
      labels.set(pattern, route);
    }
    const { method } = context.req;
    core.meter.requestAnswered({
      method: METHODS.has(method) ? method : "other",
      route,
      status: context.res.status,
      durationMs: core.clock.now() - startedAt,
    });
  };
}

/** Tells the meter how each exchange went. */
export function measureExchange(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    await next();
    if (context.req.method !== "POST") return;
    core.meter.exchangeAnswered(context.var.problem ?? "ok");
  };
}
