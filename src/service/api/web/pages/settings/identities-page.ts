// The identities of a person at other providers: list, link one, remove one.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { removeIdentity } from "../../../../core/sign-in/identities.ts";
import type { Identity } from "../../../../core/sign-in/identity.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

const removeForm = z.object({ id: z.string().check(z.maxLength(100)) });

export function identitiesRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings/identities", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await identitiesPage(context, session);
  });

  routes.post("/settings/identities/remove", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, removeForm);
    const { accountId, personId } = session;
    const step = { accountId, personId, requestId: context.get("requestId") };
    if (form.ok) await removeIdentity(context.get("parts").core, { ...step, id: form.value.id });
    return context.redirect("/settings/identities", 303);
  });

  return routes;
}

export async function identitiesPage(
  context: WebContext,
  session: WebSession,
  alert: string | null = null,
): Promise<Response> {
  const { core } = context.get("parts");
  const identities = await core.store.committed.identities.list(session.personId);
  const { providers } = core.policy.signIn;
  const body = html`<p>Sign in to account ${accountText(accountOf(session))} with what you have elsewhere. Whoever has the identity is you.</p>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${identities.length === 0 ? html`<p class="faint">There is no identity yet.</p>` : html`<ul class="cards">${identities.map(card)}</ul>`}
${providers.length === 0 ? html`<p class="faint">The operator of this service has set up no provider.</p>` : ""}
<p class="actions">${providers.map(({ id, title }) => html`<a class="button" href="/settings/identities/link/${id}">Link ${title}</a>`)}</p>`;
  const status = alert === null ? 200 : 409;
  return await settingsPage(context, { tab: "identities", session, body, status });
}

function card({ id, issuer, name, createdAt, lastUsedAt }: Identity): Html {
  return html`<li class="card">
<p><strong>${name}</strong></p>
<dl>
<dt>Provider</dt><dd>${issuer}</dd>
<dt>Linked</dt><dd>${timeText(createdAt)}</dd>
<dt>Last used</dt><dd>${timeText(lastUsedAt)}</dd>
</dl>
<form method="post" action="/settings/identities/remove"><input type="hidden" name="id" value="${id}">
<button class="danger" aria-label="Remove ${name}">Remove</button></form>
</li>`;
}
