// Signing in at another provider: the way there, and back. By the same way an owner links an identity to their account, and
// proves to GitHub that they administer the repository that they claim.

import { Hono } from "hono";
import * as z from "zod/mini";
import { linkIdentity, signInByIdentity } from "../../../../core/sign-in/identities.ts";
import type { SignInRefusal } from "../../../../core/sign-in/refusals.ts";
import { chargeSignIn, giveBackSignIn } from "../../../../core/sign-in/sign-in-by-key.ts";
import { type IdentityProvider, roleOfGroups } from "../../../../core/sign-in/sign-in-policy.ts";
import { recallAttempt } from "../../attempt-cookie.ts";
import { finishAuthorization, type ProvenPersonOf } from "../../identity-provider.ts";
import { refuseOperator, signOperatorIn } from "../../operator/finish-sign-in.ts";
import { ownPathOf } from "../../own-path.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, sessionOf } from "../../web-session.ts";
import { identitiesPage } from "../settings/identities-page.ts";
import { claimRepositoryOf } from "./claim-by-github.ts";
import { finishSignIn, recordRefusal, refusalText } from "./finish-sign-in.ts";
import {
  type AttemptState,
  attemptStateSchema,
  beginAtProvider,
  type Purpose,
  providerOf,
  silentText,
} from "./provider-attempt.ts";
import { signInPage } from "./sign-in-page.ts";

export function providerSignInRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/sign-in/with/:provider", async (context) => {
    const provider = providerOf(context, context.req.param("provider"));
    if (provider === null) return await notFoundPage(context, await sessionOf(context));
    const to = ownPathOf(context.req.query("to"));
    return await goToProvider(context, provider, { kind: "sign_in", to });
  });

  routes.get("/sign-in/callback/:provider", async (context) => {
    const provider = providerOf(context, context.req.param("provider"));
    if (provider === null) return await notFoundPage(context, await sessionOf(context));
    const excess = chargeSignIn(context.get("parts").core, context.get("address"));
    if (excess !== null) return await refuse(context, provider, excess);
    const attempt = z.safeParse(attemptStateSchema, await recallAttempt(context, "identity"));
    if (!attempt.success || attempt.data.provider !== provider.id) {
      return await refuse(context, provider, { reason: "attempt_over" });
    }
    const { expected, purpose } = attempt.data;
    const proven = await proofOf(context, provider, expected);
    if (proven === null && purpose.kind === "operator")
      return await refuseOperator(
        context,
        { reason: "identity_refused" },
        { method: provider.id, to: purpose.to },
      );
    if (proven === null)
      return await refuse(context, provider, { reason: "identity_refused" }, destinationOf(purpose));
    giveBackSignIn(context.get("parts").core, context.get("address"));
    switch (purpose.kind) {
      case "sign_in":
        return await signIn(context, { provider, proven, to: purpose.to });
      case "link":
        return await linkIdentityOf(context, { personId: purpose.personId, proven });
      case "claim":
        return await claimRepositoryOf(context, { provider, proven, purpose });
      case "operator":
        return await signOperatorIn(context, { identity: proven.identity, to: purpose.to });
    }
  });

  return routes;
}

/** Sends the browser there. What it brings back is of use in this browser alone, and once. */
export async function goToProvider(
  context: WebContext,
  provider: IdentityProvider,
  purpose: Purpose,
): Promise<Response> {
  const url = await beginAtProvider(context, provider, purpose);
  if (url !== null) return context.redirect(url, 303);
  const to = destinationOf(purpose);
  return await signInPage(context, { to, isAgain: false, alert: silentText(provider), status: 422 });
}

/** Where somebody goes who signs in otherwise, after the provider did not let them in. */
function destinationOf(purpose: Purpose): string {
  return purpose.kind === "sign_in" ? purpose.to : "/";
}

async function proofOf(
  context: WebContext,
  provider: IdentityProvider,
  expected: AttemptState["expected"],
): Promise<ProvenPersonOf | null> {
  const query = new URL(context.req.url).search;
  return await finishAuthorization(context.get("parts").core, provider, { query, expected }).catch(
    (cause: unknown) => {
      context.get("log")().info({ err: cause, provider: provider.id }, "an identity was refused");
      return null;
    },
  );
}

async function signIn(
  context: WebContext,
  came: { provider: IdentityProvider; proven: ProvenPersonOf; to: string },
): Promise<Response> {
  const { identity, email, groups } = came.proven;
  const roles = came.provider.id === "oidc" ? came.provider.roles : null;
  if (roles !== null && groups === "unreadable")
    return await refuse(context, came.provider, { reason: "groups_unreadable" }, came.to);
  const byGroups =
    roles === null || groups === "unreadable"
      ? {}
      : { byGroups: { accountId: roles.accountId, role: roleOfGroups(roles, groups) } };
  const signedIn = await signInByIdentity(context.get("parts").core, {
    identity,
    email,
    ...byGroups,
    requestId: context.get("requestId"),
  });
  if (!signedIn.ok) return await refuse(context, came.provider, signedIn.refusal, came.to);
  return await finishSignIn(context, { ...signedIn.value, method: came.provider.id, to: came.to });
}

async function refuse(
  context: WebContext,
  provider: IdentityProvider,
  refusal: SignInRefusal,
  to = "/",
): Promise<Response> {
  await recordRefusal(context, { reason: refusal.reason, method: provider.id });
  const status = refusal.reason === "rate_limited" ? 429 : 403;
  return await signInPage(context, { to, isAgain: false, alert: refusalText(refusal), status });
}

/** Links an identity that somebody has just proved to the person who is signed in. */
async function linkIdentityOf(
  context: WebContext,
  { personId, proven }: { personId: string; proven: ProvenPersonOf },
): Promise<Response> {
  const session = await needRecent(context);
  if (session instanceof Response) return session;
  if (session.personId !== personId) {
    return await identitiesPage(context, session, "You have signed in as somebody else meanwhile.");
  }
  const requestId = context.get("requestId");
  const { core } = context.get("parts");
  const member = { accountId: session.accountId, personId };
  const linked = await linkIdentity(core, { ...member, requestId, identity: proven.identity });
  if (linked.ok) return context.redirect("/settings/identities", 303);
  return await identitiesPage(context, session, "Another person has this identity.");
}
