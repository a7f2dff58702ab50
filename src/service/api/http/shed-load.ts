// Refuses requests that this node has no room for, before anything is done for them. Probes are always answered.

import type { MiddlewareHandler } from "hono";
import { operationRoutes } from "../../../contract/operation.ts";
import type { Core } from "../../core/core.ts";
import { answerRefusal } from "./problems.ts";
import type { Env } from "./request-context.ts";

const probes: ReadonlySet<string> = new Set(Object.values(operationRoutes).map(({ path }) => path));

export function shedLoad(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    if (probes.has(context.req.path)) return await next();
    const overload = core.load.enter("requests");
    if (overload !== null) return answerRefusal(context, overload);
    try {
      return await next();
    } finally {
      core.load.leave("requests");
    }
  };
}
