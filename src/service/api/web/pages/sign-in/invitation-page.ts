// The page of an invitation: what it is to, and two ways to accept it: as the person who is signed in, or as a new one. Opening
// the page uses nothing up.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { readAccount } from "../../../../core/accounts/account-name.ts";
import {
  acceptAsNewPerson,
  acceptInvitation,
  describeInvitation,
} from "../../../../core/members/invitations.ts";
import { chargeSignIn } from "../../../../core/sign-in/sign-in-by-key.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { page } from "../../page.ts";
import { passkeyDomain } from "../../passkey-domain.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { switchAccount } from "./accounts-page.ts";
import { alertOf, finishSignIn, refusalText } from "./finish-sign-in.ts";

const MAX_NAME_CHARS = 100;
const acceptForm = z.object({
  as: z.enum(["me", "new"]),
  name: z._default(z.string().check(z.trim(), z.maxLength(MAX_NAME_CHARS)), ""),
});

export function invitationRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/invitation/:token", (context) => invitationPage(context, null));

  routes.post("/invitation/:token", async (context) => {
    const { core } = context.get("parts");
    const excess = chargeSignIn(core, context.get("address"));
    if (excess !== null) return await invitationPage(context, refusalText(excess));
    const form = await readForm(context, acceptForm);
    if (!form.ok) return await invitationPage(context, form.refusal);
    const token = context.req.param("token");
    const requestId = context.get("requestId");
    const session = await sessionOf(context);
    if (form.value.as === "me") {
      if (session === null) return await invitationPage(context, "You are not signed in any more.");
      const joined = await acceptInvitation(core, { caller: personIn(session), token, requestId });
      if (!joined.ok) return await invitationPage(context, toProblem(joined.refusal).message);
      return await switchAccount(context, { session, accountId: joined.value.accountId, to: "/" });
    }
    const joined = await acceptAsNewPerson(core, { token, name: form.value.name, requestId });
    if (!joined.ok) return await invitationPage(context, toProblem(joined.refusal).message);
    // The link is the way in that they have not next time.
    const to = passkeyDomain(core) === null ? "/settings/identities" : "/settings/passkeys";
    return await finishSignIn(context, { ...joined.value, method: "link", to });
  });

  return routes;
}

async function invitationPage(context: WebContext, alert: string | null): Promise<Response> {
  const { core } = context.get("parts");
  const token = context.req.param("token") ?? "";
  const session = await sessionOf(context);
  const invitation = await describeInvitation(core, token);
  if (invitation === null) {
    const body = html`<h1>This invitation is not valid</h1>
<p>It was accepted or withdrawn, or it has ended. Ask whoever sent it for a new one.</p>`;
    return await page(context, { title: "Invitation not valid", body, session, status: 410, isNarrow: true });
  }
  const { accountId, role, expiresAt } = invitation;
  const account = await readAccount(core, { accountId });
  const path = `/invitation/${encodeURIComponent(token)}`;
  const body = html`<h1>Join an account</h1>
${alertOf(alert)}
<dl>
<dt>Account</dt><dd>${accountText(account)}</dd>
<dt>Your role there</dt><dd>${role}</dd>
<dt>This link ends</dt><dd>${new Date(expiresAt).toISOString().slice(0, 10)}</dd>
</dl>
${
  session === null
    ? html`<p>Have you been here before? <a href="/sign-in?to=${encodeURIComponent(path)}">Sign in</a> first, and join as the same person.</p>
<form method="post" action="${path}">
<input type="hidden" name="as" value="new">
<label for="name">Your name, for the others in the account</label>
<input id="name" name="name" required maxlength="${MAX_NAME_CHARS}" autocomplete="name">
<div class="actions"><button class="main">Join as a new person</button></div>
</form>`
    : html`<form method="post" action="${path}" class="actions">
<input type="hidden" name="as" value="me"><button class="main">Join as who you are signed in</button></form>
<p class="hint">To join as somebody else, sign out first.</p>`
}`;
  return await page(context, {
    title: "Join an account",
    body,
    session,
    isNarrow: true,
    status: alert === null ? 200 : 409,
  });
}
