// The pages for people, each for whoever is signed in: forms that post and redirect, one style, and no script but what a
// page names.

import { Hono } from "hono";
import { endWebSession } from "../../core/web-sessions/web-sessions.ts";
import { type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";
import { assetRoutes } from "./assets.ts";
import { refuseExcess } from "./excess.ts";
import { refuseOtherOrigins } from "./form.ts";
import { notFoundPage } from "./page.ts";
import { refuseLesserRoles } from "./page-roles.ts";
import { agentRoutes } from "./pages/agent/agent-page.ts";
import { runsRoutes } from "./pages/agent/runs-page.ts";
import { approvalsRoutes } from "./pages/approve/approvals-page.ts";
import { approveRoutes } from "./pages/approve/approve-page.ts";
import { claimRoutes } from "./pages/claim-page.ts";
import { homeRoutes } from "./pages/home-page.ts";
import { runRoutes } from "./pages/run/run-page.ts";
import { accountRoutes } from "./pages/settings/account-page.ts";
import { appsRoutes } from "./pages/settings/apps-page.ts";
import { connectionsRoutes } from "./pages/settings/connections-page.ts";
import { creditsRoutes } from "./pages/settings/credits-page.ts";
import { identitiesRoutes } from "./pages/settings/identities-page.ts";
import { keysRoutes } from "./pages/settings/keys-page.ts";
import { membersRoutes } from "./pages/settings/members-page.ts";
import { passkeysRoutes } from "./pages/settings/passkeys-page.ts";
import { sessionsRoutes } from "./pages/settings/sessions-page.ts";
import { accountsRoutes } from "./pages/sign-in/accounts-page.ts";
import { beginClaimRoutes } from "./pages/sign-in/begin-claim.ts";
import { beginLinkRoutes } from "./pages/sign-in/begin-link.ts";
import { invitationRoutes } from "./pages/sign-in/invitation-page.ts";
import { linkRoutes } from "./pages/sign-in/link-page.ts";
import { passkeySignInRoutes } from "./pages/sign-in/passkey-sign-in.ts";
import { providerSignInRoutes } from "./pages/sign-in/provider-sign-in.ts";
import { signInRoutes } from "./pages/sign-in/sign-in-page.ts";
import { ledgerRoutes } from "./pages/usage/ledger-page.ts";
import { usageRoutes } from "./pages/usage/usage-page.ts";
import { changesetRoutes } from "./pages/workspaces/changeset-forms.ts";
import { changesetsRoutes } from "./pages/workspaces/changesets-page.ts";
import { filesRoutes } from "./pages/workspaces/files-page.ts";
import { historyRoutes } from "./pages/workspaces/history-page.ts";
import { workspaceRoutes } from "./pages/workspaces/workspace-page.ts";
import { workspacesRoutes } from "./pages/workspaces/workspaces-page.ts";
import type { WebEnv } from "./web-context.ts";
import { clearSession, sessionOf } from "./web-session.ts";

/** The routes of one noun's pages. */
export type PageRoutes = () => Hono<WebEnv>;

const pages: readonly PageRoutes[] = [
  signOutRoutes,
  runRoutes,
  signInRoutes,
  linkRoutes,
  passkeySignInRoutes,
  providerSignInRoutes,
  beginLinkRoutes,
  beginClaimRoutes,
  identitiesRoutes,
  passkeysRoutes,
  keysRoutes,
  membersRoutes,
  accountRoutes,
  invitationRoutes,
  accountsRoutes,
  sessionsRoutes,
  creditsRoutes,
  usageRoutes,
  ledgerRoutes,
  homeRoutes,
  runsRoutes,
  agentRoutes,
  approvalsRoutes,
  approveRoutes,
  claimRoutes,
  appsRoutes,
  connectionsRoutes,
  workspacesRoutes,
  workspaceRoutes,
  filesRoutes,
  historyRoutes,
  changesetsRoutes,
  changesetRoutes,
];

export function webApp(parts: FaceParts): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  app.route("/", assetRoutes());

  const shown = new Hono<WebEnv>();
  shown.use(async (context, next) => {
    context.set("parts", parts);
    return (await refuseExcess(context)) ?? (await next());
  });
  shown.use(refuseOtherOrigins);
  shown.use(refuseLesserRoles);
  for (const routes of pages) shown.route("/", routes());
  shown.all("*", async (context) => notFoundPage(context, await sessionOf(context)));
  // Its errors are the outer application's.
  shown.onError((cause) => {
    throw cause;
  });
  app.route("/", shown as unknown as Hono<FaceEnv>);
  return app;
}

function signOutRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.post("/sign-out", async (context) => {
    const session = await sessionOf(context);
    const requestId = context.get("requestId");
    if (session !== null) await endWebSession(context.get("parts").core, { ...session, requestId });
    clearSession(context);
    return context.redirect("/sign-in", 303);
  });
  return routes;
}
