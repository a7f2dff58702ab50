// The HTTP door: every route, a request id and a log line on each answer, and the two answers that no route gives.

import { Hono } from "hono";
import type { Core } from "../../core/core.ts";
import { RunSubmitter } from "../../core/runs/submit-run.ts";
import { clientAddress } from "../shared/client-address.ts";
import { measure } from "./measure.ts";
import { answerProblem } from "./problems.ts";
import type { Env, RequestContext } from "./request-context.ts";
import { agentRoutes } from "./routes/agents.ts";
import { ciIdentityRoutes } from "./routes/ci-identity.ts";
import { ciRunRoutes } from "./routes/ci-runs.ts";
import { claimRoutes } from "./routes/claims.ts";
import { confirmPageRoutes } from "./routes/confirm-page.ts";
import { creditRoutes } from "./routes/credits.ts";
import { docsRoutes } from "./routes/docs.ts";
import { exchangeRoutes } from "./routes/exchange.ts";
import { healthRoutes } from "./routes/health.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { pageRoutes } from "./routes/pages.ts";
import { pricingRoutes } from "./routes/pricing.ts";
import { runRoutes } from "./routes/runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { socketRoutes } from "./routes/socket.ts";
import { workflowRoutes } from "./routes/workflows.ts";
import { traceRequests } from "./trace.ts";

export type AppOptions = { readonly exchangeRatePerMinute: number; readonly trustedProxyHops: number };

export function createApp(core: Core, options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const submitter = new RunSubmitter(core);

  app.use(traceRequests(core));

  app.use(async (context, next) => {
    const startedAt = core.clock.now();
    const requestId = core.random.uuid(startedAt);
    context.set("requestId", requestId);
    const log = core.log.child({ request_id: requestId });
    context.set("log", log);
    const { remoteAddress: peer } = context.env.incoming.socket;
    const forwardedFor = context.req.header("x-forwarded-for");
    context.set("address", clientAddress({ peer, forwardedFor }, options.trustedProxyHops));
    // Set before the answer is made: changed afterwards, it would be made twice.
    context.header("X-Request-Id", requestId);
    await next();
    const { method, path } = context.req;
    const { status } = context.res;
    const fields = { method, path: loggedPath(path), status, duration_ms: core.clock.now() - startedAt };
    if (status >= 500) log.error(fields, "request");
    else log.debug(fields, "request");
  });

  app.use(measure(core));

  // No id holds a NUL, and PostgreSQL cannot even be asked for one.
  app.use((context, next) => (context.req.path.includes("\0") ? notFound(context) : next()));

  app.route("/", healthRoutes(core));
  app.route("/", exchangeRoutes(core, options));
  app.route("/", agentRoutes(core));
  app.route("/", runRoutes(core, submitter));
  app.route("/", workflowRoutes(core, submitter));
  app.route("/", scheduleRoutes(core));
  app.route("/", ciRunRoutes(core));
  app.route("/", ciIdentityRoutes(core));
  app.route("/", claimRoutes(core));
  app.route("/", creditRoutes(core));
  app.route("/", pricingRoutes(core));
  app.route("/", metricsRoutes(core));
  app.route("/", docsRoutes(core));
  app.route("/", socketRoutes(core));
  app.route("/", pageRoutes(core));
  app.route("/", confirmPageRoutes(core));

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
