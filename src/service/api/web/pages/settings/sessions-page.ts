// The page of a person's web sessions: list, end one session, end all others.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import type {
  SignInMethod,
  StoredWebSession,
  WebSession,
} from "../../../../core/web-sessions/web-session.ts";
import { endOtherWebSessions, endWebSession } from "../../../../core/web-sessions/web-sessions.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { browserName } from "./browser-name.ts";
import { settingsPage } from "./settings-page.ts";

const endForm = z.object({ id: z.string().check(z.maxLength(100)) });

const methodTexts: Readonly<Record<SignInMethod, string>> = {
  link: "one-time link",
  key: "key",
  passkey: "passkey",
  oidc: "identity provider",
  github: "GitHub",
};

export function sessionsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings/sessions", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await sessionsPage(context, session);
  });

  routes.post("/settings/sessions/end", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, endForm);
    const ended = { ...session, requestId: context.get("requestId") };
    if (form.ok) await endWebSession(context.get("parts").core, { ...ended, id: form.value.id });
    return context.redirect("/settings/sessions", 303);
  });

  routes.post("/settings/sessions/end-others", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const { accountId, personId, id: kept } = session;
    const requestId = context.get("requestId");
    await endOtherWebSessions(context.get("parts").core, { accountId, personId, kept, requestId });
    return context.redirect("/settings/sessions", 303);
  });

  return routes;
}

async function sessionsPage(context: WebContext, own: WebSession): Promise<Response> {
  const { store, clock } = context.get("parts").core;
  const found = await store.committed.webSessions.list({ personId: own.personId, now: clock.now() });
  const others = found.filter(({ id }) => id !== own.id).reverse();
  const body = html`<p>Browsers in which you are signed in. This one is, to account ${accountText(accountOf(own))}. A session ends 14 days after it was last seen.</p>
<ul class="cards">
${card(own, html`<p><strong>This browser</strong></p>`)}
${others.map((session) => card(session, endButton(session)))}
</ul>
${
  others.length === 0
    ? html`<p class="faint">Nobody is signed in elsewhere.</p>`
    : html`<form method="post" action="/settings/sessions/end-others" class="actions"><button class="danger">End all other sessions</button></form>`
}`;
  return await settingsPage(context, { tab: "sessions", session: own, body });
}

function card(session: StoredWebSession, action: Html): Html {
  return html`<li class="card">
<p><strong>${browserName(session.userAgent)}</strong></p>
<dl>
<dt>Signed in</dt><dd>${timeText(session.createdAt)}, by ${methodTexts[session.method]}</dd>
<dt>Last seen</dt><dd>${timeText(session.seenAt)}</dd>
<dt>Browser</dt><dd class="faint">${session.userAgent === "" ? "It does not say." : session.userAgent}</dd>
</dl>
${action}
</li>`;
}

function endButton({ id, userAgent }: StoredWebSession): Html {
  return html`<form method="post" action="/settings/sessions/end"><input type="hidden" name="id" value="${id}">
<button class="danger" aria-label="End session of ${browserName(userAgent)}">End session</button></form>`;
}
