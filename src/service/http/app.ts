// The HTTP door: every route, a request id and a log line on each answer, and the two answers that no route gives.

import { Hono } from "hono";
import type { Core } from "../core/core.ts";
import { answerProblem } from "./problems.ts";
import type { Env, RequestContext } from "./request-context.ts";
import { ciRunRoutes } from "./routes/ci-runs.ts";
import { exchangeRoutes } from "./routes/exchange.ts";
import { healthRoutes } from "./routes/health.ts";
import { pageRoutes } from "./routes/pages.ts";
import { runRoutes } from "./routes/runs.ts";

export type AppOptions = { readonly ratePerMinute: number; readonly trustedProxyHops: number };

export function createApp(core: Core, options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();

  app.use(async (context, next) => {
    const startedAt = core.clock.now();
    const requestId = core.random.uuid(startedAt);
    context.set("requestId", requestId);
    const log = core.log.child({ request_id: requestId });
    context.set("log", log);
    // Set before the answer is made: changed afterwards, it would be made twice.
    context.header("X-Request-Id", requestId);
    await next();
    const { method, path } = context.req;
    const { status } = context.res;
    const fields = { method, path: loggedPath(path), status, duration_ms: core.clock.now() - startedAt };
    if (status >= 500) log.error(fields, "request");
    else log.debug(fields, "request");
  });

  // No id holds a NUL, and PostgreSQL cannot even be asked for one.
  app.use((context, next) => (context.req.path.includes("\0") ? notFound(context) : next()));

  app.route("/", healthRoutes(core));
  app.route("/", exchangeRoutes(core, options));
  app.route("/", runRoutes(core));
  app.route("/", ciRunRoutes(core));
  app.route("/", pageRoutes(core));

  app.notFound((context) => notFound(context));

  app.onError((cause, context) => {
    context.var.log.error({ err: cause }, "internal error");
    return answerProblem(context, { status: 500, code: "internal", message: "internal error" });
  });

  return app;
}

async function notFound(context: RequestContext): Promise<Response> {
  const { method, path } = context.req;
  const message = `There is nothing at ${method} ${loggedPath(path)}. The routes are at /openapi.json.`;
  return answerProblem(context, { status: 404, code: "not_found", message });
}

/** A claim's token is in its path: it is not for logs or answers. */
function loggedPath(path: string): string {
  return path.startsWith("/claim/") ? "/claim/…" : path;
}
