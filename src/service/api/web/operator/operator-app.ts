// The pages of who operates the service, behind a sign-in of their own. They change nothing but who is signed in, and show no text of
// an account's people, agents or files.
// Why: docs/decisions/160-an-operator-is-nobody-in-an-account.md

import { Hono, type MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { isOperated } from "../../../core/operators/operators.ts";
import { type FaceEnv, type FaceParts, prepareFace } from "../../http/face.ts";
import { chargeAddress, chargeOperator } from "../../shared/admit-caller.ts";
import { toProblem } from "../../shared/problems/to-problem.ts";
import { isOwnOrigin } from "../form.ts";
import { pathWithQuery } from "../own-path.ts";
import type { PageRoutes } from "../web-app.ts";
import type { WebEnv } from "../web-context.ts";
import { accountsRoutes } from "./accounts-page.ts";
import { auditRoutes } from "./audit-page.ts";
import { operatorLinkRoutes } from "./link-page.ts";
import { nothingHere, notSetUp, operatorPage } from "./operator-page.ts";
import { operatorOf } from "./operator-session.ts";
import { overviewRoutes } from "./overview-page.ts";
import { queueRoutes } from "./queue-page.ts";
import { refusalsRoutes } from "./refusals-page.ts";
import { repositoriesRoutes } from "./repositories-page.ts";
import { operatedRunsRoutes } from "./runs-page.ts";
import { settingsRoutes } from "./settings-page.ts";
import { operatorSignInRoutes } from "./sign-in-routes.ts";

/** Whoever comes here is nobody yet. */
const open: readonly PageRoutes[] = [operatorSignInRoutes, operatorLinkRoutes];
/** For operators alone. */
const closed: readonly PageRoutes[] = [
  overviewRoutes,
  accountsRoutes,
  repositoriesRoutes,
  operatedRunsRoutes,
  queueRoutes,
  refusalsRoutes,
  auditRoutes,
  settingsRoutes,
];

export function operatorApp(parts: FaceParts): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  const shown = new Hono<WebEnv>();
  shown.use(async (context, next) => {
    context.set("parts", parts);
    await next();
  });
  shown.use(refuseExcess);
  shown.use(refuseOtherOrigins);
  // A link registers the first one: its page is there before anybody can sign in.
  shown.use(async (context, next) => {
    const isLink = context.req.path.startsWith("/operator/link/");
    return isLink || (await isOperated(parts.core)) ? await next() : await notSetUp(context);
  });
  for (const routes of open) shown.route("/", routes());
  shown.use(needOperator);
  for (const routes of closed) shown.route("/", routes());
  shown.all("*", async (context) => await nothingHere(context));
  // Its errors are the outer application's.
  shown.onError((cause) => {
    throw cause;
  });
  app.route("/", shown as unknown as Hono<FaceEnv>);
  return app;
}

/** Leads whoever is not signed in to where they can be, and back. */
const needOperator: MiddlewareHandler<WebEnv> = async (context, next) => {
  if ((await operatorOf(context)) !== null) return await next();
  const to = context.req.method === "GET" ? pathWithQuery(context.req.url) : "/operator";
  return context.redirect(`/operator/sign-in?to=${encodeURIComponent(to)}`, 303);
};

/** An operator counts by themselves, everybody else by their address. */
const refuseExcess: MiddlewareHandler<WebEnv> = async (context, next) => {
  const { core } = context.get("parts");
  const session = await operatorOf(context);
  const excess =
    session === null ? chargeAddress(core, context.get("address")) : chargeOperator(core, session.id);
  if (excess === null) return await next();
  const { message, retryAfterSeconds = 1 } = toProblem(excess);
  context.header("Retry-After", String(retryAfterSeconds));
  const body = html`<h1>Too many requests</h1><p>${message}</p>`;
  return await operatorPage(context, { title: "Too many requests", body, status: 429, isNarrow: true });
};

/** Only the operator's own pages sign anybody in or out: browsers say where a request comes from. */
const refuseOtherOrigins: MiddlewareHandler<WebEnv> = async (context, next) => {
  if (["GET", "HEAD"].includes(context.req.method) || isOwnOrigin(context)) return await next();
  const body = html`<h1>This did not come from a page of this service</h1>
<p>So nothing was done. Open the page again here, and try once more.</p>`;
  return await operatorPage(context, { title: "Refused", body, status: 403, isNarrow: true });
};
