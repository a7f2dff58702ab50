// The accounts of whoever is signed in, of which they choose one: at signing in, and later from the bar of every page.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { completeSignIn } from "../../../../core/sign-in/complete-sign-in.ts";
import { mayGoOnIn } from "../../../../core/sign-in/proven-member.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { accountText, accountWords } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { ownPathOf } from "../../own-path.ts";
import { notFoundPage, page } from "../../page.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { needSession, setSession } from "../../web-session.ts";

const chooseForm = z.object({
  account: z.string().check(z.minLength(1), z.maxLength(100)),
  to: z.optional(z.string()),
});

export function accountsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/accounts", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    const memberships = await core.store.committed.people.listMemberships(session.personId);
    const to = ownPathOf(context.req.query("to"));
    const body = html`<h1>Your accounts</h1>
<ul class="cards">${memberships.map(
      ({
        accountId,
        accountName: name,
        role,
      }) => html`<li class="card row"><span>${accountText({ id: accountId, name })}, ${role}</span>
<form class="end" method="post" action="/accounts"><input type="hidden" name="account" value="${accountId}"><input type="hidden" name="to" value="${to}">
<button${accountId === session.accountId ? html` class="main"` : ""} aria-label="${accountId === session.accountId ? "Stay here" : "Go on here"}: account ${accountWords({ id: accountId, name })}">${accountId === session.accountId ? "Stay here" : "Go on here"}</button></form></li>`,
    )}</ul>`;
    return await page(context, { title: "Your accounts", body, session, isNarrow: true });
  });

  routes.post("/accounts", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, chooseForm);
    if (!form.ok) return await notFoundPage(context, session);
    const { account: accountId, to } = form.value;
    const { core } = context.get("parts");
    const key = { accountId, personId: session.personId };
    const member = await core.store.committed.people.findMember(key);
    if (member === null) return await notFoundPage(context, session);
    // Groups lead there, which the provider names at each sign-in.
    if (!mayGoOnIn(core, member, session)) return context.redirect("/sign-in/with/oidc?to=/accounts", 303);
    return await switchAccount(context, { session, accountId, to: ownPathOf(to) });
  });

  return routes;
}

/** Goes on in another account of the same person: as recent as they have proved who they are, and no longer than before. */
export async function switchAccount(
  context: WebContext,
  { session, accountId, to }: { session: WebSession; accountId: string; to: string },
): Promise<Response> {
  const { personId, method, userAgent, authenticatedAt, endsAt } = session;
  const opened = await completeSignIn(context.get("parts").core, {
    accountId,
    personId,
    method,
    userAgent,
    authenticatedAt,
    ...(endsAt === null ? {} : { endsAt }),
    requestId: context.get("requestId"),
    earlier: session,
  });
  setSession(context, opened);
  return context.redirect(to, 303);
}
