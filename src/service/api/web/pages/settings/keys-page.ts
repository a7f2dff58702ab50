// The keys of an account: list, make one, whose secret is shown once, revoke one.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { isOwner } from "../../../../core/accounts/caller.ts";
import { type ApiKey, callerClasses } from "../../../../core/accounts/credential.ts";
import { listOwnKeys, makeOwnKey, mayKeepKeys, revokeOwnKey } from "../../../../core/accounts/own-keys.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession, sessionOf } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

const MAX_NAME_CHARS = 100;

const newKeyForm = z.object({
  name: z.string().check(z.trim(), z.maxLength(MAX_NAME_CHARS)),
  class: z.enum(callerClasses),
});
const revokeForm = z.object({ id: z.string().check(z.maxLength(100)) });

const classTexts = { owner: "owner", ai_client: "AI client" } as const;

export function keysRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings", async (context) => {
    const session = await sessionOf(context);
    const seesKeys = session === null || isOwner(personIn(session));
    return context.redirect(seesKeys ? "/settings/keys" : "/settings/apps", 303);
  });

  routes.get("/settings/keys", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await keysPage(context, session);
  });

  routes.post("/settings/keys", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, newKeyForm);
    if (!form.ok) return await keysPage(context, session, { alert: form.refusal });
    const { core } = context.get("parts");
    if (!mayKeepKeys(session.role, form.value.class)) {
      return await keysPage(context, session, { alert: "Only an owner makes an owner's key." });
    }
    const made = await makeOwnKey(core, {
      accountId: session.accountId,
      personId: session.personId,
      callerClass: form.value.class,
      name: form.value.name,
      requestId: context.get("requestId"),
    });
    if (made.ok) return await keysPage(context, session, { made: made.value });
    return await keysPage(context, session, { alert: "An account may have 100 keys. Revoke one first." });
  });

  routes.post("/settings/keys/revoke", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, revokeForm);
    const { core } = context.get("parts");
    const { accountId, personId } = session;
    const step = { accountId, personId, requestId: context.get("requestId") };
    const keys = form.ok ? await listOwnKeys(core, accountId) : [];
    const key = keys.find(({ id }) => form.ok && id === form.value.id);
    if (key !== undefined && mayKeepKeys(session.role, key.callerClass))
      await revokeOwnKey(core, { ...step, id: key.id });
    return context.redirect("/settings/keys", 303);
  });

  return routes;
}

type Shown = {
  readonly alert?: string;
  readonly made?: { readonly key: ApiKey; readonly secret: string };
};

async function keysPage(context: WebContext, session: WebSession, shown: Shown = {}): Promise<Response> {
  const keys = await listOwnKeys(context.get("parts").core, session.accountId);
  const { alert, made } = shown;
  const mayMakeOwners = mayKeepKeys(session.role, "owner");
  const body = html`<p>Programs use the API of account ${accountText(accountOf(session))} with a key. Whoever has an owner's key is the owner.</p>
${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${made === undefined ? "" : newKey(made)}
${keys.length === 0 ? html`<p class="faint">There is no key yet.</p>` : table(keys, session)}
<h2>New key</h2>
<form method="post" action="/settings/keys">
  <label for="name">Name</label>
  <input id="name" name="name" maxlength="${MAX_NAME_CHARS}" autocomplete="off" required placeholder="laptop">
  <fieldset>
    <legend>Who holds it</legend>
    ${mayMakeOwners ? html`<label class="inline"><input type="radio" name="class" value="owner" checked> You, or a program of yours: it may do everything</label>` : ""}
    <label class="inline"><input type="radio" name="class" value="ai_client"${mayMakeOwners ? "" : html` checked`}> An AI client: it may not approve, confirm or activate</label>
  </fieldset>
  <div class="actions"><button class="main">Make key</button></div>
</form>`;
  const scripts = made === undefined ? [] : (["copy"] as const);
  const status = alert === undefined ? 200 : 422;
  return await settingsPage(context, { tab: "keys", session, body, scripts, status });
}

function newKey({ key, secret }: { key: ApiKey; secret: string }): Html {
  return html`<div class="note" role="status">
<p><strong>Key ${key.name} is made.</strong> Copy it now: it is not shown again.</p>
<pre id="secret" tabindex="0">${secret}</pre>
<button data-copy="secret" hidden>Copy</button>
</div>`;
}

function table(keys: readonly ApiKey[], { role }: WebSession): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Keys"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Class</th><th scope="col">Key</th><th scope="col">Made</th><th scope="col">Last used</th><th scope="col">State</th></tr></thead>
<tbody>${keys.map(
    (key) => html`<tr>
<td>${key.name === "" ? html`<span class="faint">no name</span>` : key.name}</td>
<td>${classTexts[key.callerClass]}</td>
<td><code>…${key.hint}</code></td>
<td>${timeText(key.createdAt)}</td>
<td>${timeText(key.lastUsedAt)}</td>
<td>${stateOf(key, mayKeepKeys(role, key.callerClass))}</td>
</tr>`,
  )}</tbody></table></div>`;
}

function stateOf(key: ApiKey, mayRevoke: boolean): Html {
  if (key.revokedAt !== null) return html`revoked ${timeText(key.revokedAt)}`;
  return mayRevoke ? revokeButton(key) : html`in force`;
}

function revokeButton({ id, name, hint }: ApiKey): Html {
  return html`<form method="post" action="/settings/keys/revoke"><input type="hidden" name="id" value="${id}">
<button class="danger" aria-label="Revoke key ${name === "" ? hint : name}">Revoke</button></form>`;
}
