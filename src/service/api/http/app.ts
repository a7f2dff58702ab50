// The HTTP API: every route, a request id and a log line on each answer, and the two answers that no route gives.

import { Hono } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { ciRoutes } from "../../../contract/ci/routes.ts";
import { type FirstRoutes, firstRoutes } from "../../../contract/first-routes.ts";
import type { Core } from "../../core/core.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import { problemOfThrown } from "../shared/problems/thrown-problem.ts";
import type { AnyFace } from "./any-face.ts";
import { allowOrigins } from "./cors.ts";
import { mountFace } from "./face.ts";
import type { Handlers } from "./handler.ts";
import { accountHandlers } from "./handlers/account.ts";
import { accountMemberHandlers, invitationHandlers } from "./handlers/account-members.ts";
import { agentHandlers } from "./handlers/agents.ts";
import { approvalHandlers, questionHandlers, writeGrantHandlers } from "./handlers/approvals.ts";
import { ciHandlers } from "./handlers/ci.ts";
import { claimHandlers } from "./handlers/claims.ts";
import { commitHandlers } from "./handlers/commits.ts";
import { connectionHandlers } from "./handlers/connections.ts";
import { creditHandlers, pricingHandlers } from "./handlers/money.ts";
import { operationHandlers } from "./handlers/operation.ts";
import { repositoryAccessHandlers } from "./handlers/repository-access.ts";
import { runIdentityHandlers } from "./handlers/run-identity.ts";
import { runHandlers } from "./handlers/runs.ts";
import { scheduleHandlers } from "./handlers/schedules.ts";
import { sessionHandlers } from "./handlers/sessions.ts";
import { workflowHandlers } from "./handlers/workflows.ts";
import { measure, measureExchange } from "./measure.ts";
import { loggedPath, openRequest } from "./open-request.ts";
import { docsRoutes } from "./pages/docs.ts";
import { answerProblem } from "./problems.ts";
import type { Env, RequestContext } from "./request-context.ts";
import { mountRouteFace } from "./route-face.ts";
import { serveRoutes } from "./serve-routes.ts";
import { shedLoad } from "./shed-load.ts";
import { traceRequests } from "./trace.ts";

/** Nobody reads it; the log and the metrics do. No status of HTTP's own says that the client went away. */
const CLIENT_GONE = 499 as StatusCode;

type AppOptions = {
  readonly exchangeRatePerMinute: number;
  readonly trustedProxyHops: number;
  /** Of pages that may call the API, beside its own. */
  readonly corsOrigins: readonly string[];
  /** Faces that are loaded at their first request. */
  readonly faces: readonly AnyFace[];
};

export function createApp(core: Core, submitter: RunSubmitter, options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();

  app.use(traceRequests(core));

  app.use(openRequest(core, options));

  app.use(measure(core));

  app.use(shedLoad(core));

  // No id holds a NUL, and PostgreSQL cannot even be asked for one.
  app.use((context, next) => (context.req.path.includes("\0") ? notFound(context) : next()));

  const { exchangeRatePerMinute, corsOrigins } = options;
  const parts = { core, submitter, exchangeRatePerMinute, corsOrigins };
  const mounted = options.faces.flatMap((face) => ("addresses" in face ? [] : [mountFace(app, face, parts)]));

  if (corsOrigins.length > 0) app.use("/v1/*", allowOrigins(corsOrigins));

  app.use(ciRoutes.exchange.path, measureExchange(core));

  const handlers: Handlers<FirstRoutes> = {
    ci: ciHandlers(core),
    commits: commitHandlers(core),
    claims: claimHandlers(core),
    agents: agentHandlers(core),
    repositoryAccess: repositoryAccessHandlers(core),
    runs: runHandlers(core, submitter),
    schedules: scheduleHandlers(core),
    workflows: workflowHandlers(core, submitter),
    approvals: approvalHandlers(core, submitter),
    writeGrants: writeGrantHandlers(core),
    runIdentity: runIdentityHandlers(core),
    questions: questionHandlers(core, submitter),
    account: accountHandlers(core),
    accountMembers: accountMemberHandlers(core),
    invitations: invitationHandlers(core),
    connections: connectionHandlers(core),
    credits: creditHandlers(core),
    pricing: pricingHandlers(core),
    sessions: sessionHandlers,
    operation: operationHandlers(core),
  };
  serveRoutes(app, core, {
    routes: firstRoutes,
    handlers,
    exchangeRatePerMinute: options.exchangeRatePerMinute,
    offersTokens: options.faces.length > 0,
  });
  app.route("/", docsRoutes(core));
  for (const face of mounted) face.mountPaths();
  for (const face of options.faces) if ("addresses" in face) mountRouteFace(app, face, parts);

  app.notFound((context) => notFound(context));

  app.onError((cause, context) => {
    if ("code" in cause && cause.code === "client_gone") return context.body(null, CLIENT_GONE);
    context.get("log")().error({ err: cause }, "internal error");
    return answerProblem(context, problemOfThrown(cause));
  });

  return app;
}

async function notFound(context: RequestContext): Promise<Response> {
  const { method, path } = context.req;
  const message = `There is nothing at ${method} ${loggedPath(path)}. The routes are at /openapi.json.`;
  return answerProblem(context, { status: 404, code: "not_found", message });
}
