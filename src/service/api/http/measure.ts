// Tells the meter of every answer, and the tally of this node of every refusal: by route pattern, so that no id and no stranger's text becomes a label.

import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { ciRoutes } from "../../../contract/ci/routes.ts";
import type { Core } from "../../core/core.ts";
import type { Env, RequestContext } from "./request-context.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The route of a request that no route took. */
export const NO_ROUTE = "none";

const labels = new Map([["/*", NO_ROUTE]]);

/** The pattern of the route that took the request, as the OpenAPI document spells it. */
export function routeOf(context: RequestContext): string {
  const pattern = routePath(context, -1);
  let route = labels.get(pattern);
  if (route === undefined) {
    route = pattern.replace(/:(\w+)/g, "{$1}");
    labels.set(pattern, route);
  }
  return route;
}

/** The method, or "other" for one that nobody has heard of. */
export function methodOf(context: RequestContext): string {
  const { method } = context.req;
  return METHODS.has(method) ? method : "other";
}

export function measure(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    const startedAt = core.clock.monotonic();
    await next();
    const problem = context.get("problem");
    if (problem !== undefined) core.node.refusals.count(problem);
    core.meter.requestAnswered({
      method: methodOf(context),
      route: routeOf(context),
      status: context.res.status,
      durationMs: core.clock.monotonic() - startedAt,
    });
  };
}

/** Tells the meter how each exchange went. */
export function measureExchange(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    await next();
    if (context.req.method !== ciRoutes.exchange.method) return;
    core.meter.exchangeAnswered(context.get("problem") ?? "ok");
  };
}
