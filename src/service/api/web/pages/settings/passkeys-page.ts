// The passkeys of a person: list, add one of this device, remove one.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import type { Passkey } from "../../../../core/sign-in/identity.ts";
import { addPasskey, removePasskey } from "../../../../core/sign-in/passkeys.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { recallAttempt, rememberAttempt } from "../../attempt-cookie.ts";
import { readForm } from "../../form.ts";
import { loadCeremony, passkeyDomain } from "../../passkey-domain.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { browserName } from "./browser-name.ts";
import { settingsPage } from "./settings-page.ts";

const MAX_NAME_CHARS = 60;

const newPasskeyForm = z.object({
  response: z.string().check(z.maxLength(32_000)),
  name: z.string().check(z.trim(), z.maxLength(MAX_NAME_CHARS)),
});
const removeForm = z.object({ id: z.string().check(z.maxLength(2_000)) });
const stateSchema = z.object({ challenge: z.string(), personId: z.string() });

export function passkeysRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings/passkeys", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await passkeysPage(context, session);
  });

  routes.post("/settings/passkeys/options", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return context.json({ error: "Sign in once more." }, 403);
    const { core } = context.get("parts");
    const domain = passkeyDomain(core);
    if (domain === null) return context.json({ error: "Passkeys need a domain." }, 404);
    const { accountId, personId } = session;
    const known = await core.store.committed.identities.listPasskeys(personId);
    const { registrationOptions } = await loadCeremony();
    const options = await registrationOptions(core, {
      domain,
      userName: `account ${accountId.slice(0, 8)}`,
      userId: personId,
      known,
    });
    const state = { challenge: options.challenge, personId };
    await rememberAttempt(context, { kind: "passkey_registration", state });
    context.header("Cache-Control", "no-store");
    return context.json(options);
  });

  routes.post("/settings/passkeys", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const alert = await add(context, session);
    return alert === null
      ? context.redirect("/settings/passkeys", 303)
      : await passkeysPage(context, session, alert);
  });

  routes.post("/settings/passkeys/remove", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, removeForm);
    if (form.ok) {
      const { accountId, personId } = session;
      const step = { accountId, personId, requestId: context.get("requestId") };
      await removePasskey(context.get("parts").core, { ...step, credentialId: form.value.id });
    }
    return context.redirect("/settings/passkeys", 303);
  });

  return routes;
}

/** Null, or what its person is told. */
async function add(context: WebContext, { accountId, personId }: WebSession): Promise<string | null> {
  const { core } = context.get("parts");
  const form = await readForm(context, newPasskeyForm);
  if (!form.ok) return form.refusal;
  const state = z.safeParse(stateSchema, await recallAttempt(context, "passkey_registration"));
  const domain = passkeyDomain(core);
  if (!state.success || state.data.personId !== personId || domain === null) {
    return "This was not begun in this browser, or it took more than ten minutes. Begin again.";
  }
  const { challenge } = state.data;
  const { verifyRegistration } = await loadCeremony();
  const passkey = await verifyRegistration(core, { domain, challenge, ...form.value });
  if (passkey === null) return "The passkey could not be verified. Try again, or use another device.";
  const added = await addPasskey(core, {
    accountId,
    personId,
    requestId: context.get("requestId"),
    passkey,
  });
  if (added.ok) return null;
  switch (added.refusal.reason) {
    case "passkeys_reached":
      return `A person may have ${added.refusal.allowed} passkeys. Remove one first.`;
    case "passkey_known":
    case "identity_of_another":
      return "This passkey is registered already.";
  }
}

async function passkeysPage(
  context: WebContext,
  session: WebSession,
  alert: string | null = null,
): Promise<Response> {
  const { core } = context.get("parts");
  const passkeys = await core.store.committed.identities.listPasskeys(session.personId);
  const canAdd = passkeyDomain(core) !== null;
  const body = html`<p>A passkey signs you in with this device's fingerprint, face or PIN. No secret leaves the device.</p>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${passkeys.length === 0 ? html`<p class="faint">There is no passkey yet.</p>` : html`<ul class="cards">${passkeys.map(card)}</ul>`}
${canAdd ? addForm(context) : noDomain(core.policy.webUrl)}`;
  const status = alert === null ? 200 : 422;
  return await settingsPage(context, {
    tab: "passkeys",
    session,
    body,
    status,
    scripts: canAdd ? ["passkey"] : [],
  });
}

function addForm(context: WebContext): Html {
  const name = browserName(context.req.header("user-agent") ?? "");
  return html`<h2>New passkey</h2>
<form method="post" action="/settings/passkeys" data-passkey="register">
  <input type="hidden" name="response">
  <label for="name">Name</label>
  <input id="name" name="name" maxlength="${MAX_NAME_CHARS}" autocomplete="off" value="${name}">
  <p class="error" role="alert" data-fault hidden></p>
  <div class="actions"><button class="main" disabled>Add passkey</button></div>
</form>
<noscript><p class="note warn">To add a passkey, allow scripts for this page.</p></noscript>`;
}

function noDomain(webUrl: string): Html {
  return html`<p class="note warn">Browsers make passkeys for https and a domain only, or for localhost. These pages are at ${webUrl}.</p>`;
}

function card({ credentialId, name, isBackedUp, createdAt, lastUsedAt }: Passkey): Html {
  const shown = name === "" ? "Passkey" : name;
  return html`<li class="card">
<p><strong>${shown}</strong></p>
<dl>
<dt>Added</dt><dd>${timeText(createdAt)}</dd>
<dt>Last used</dt><dd>${timeText(lastUsedAt)}</dd>
<dt>Kept</dt><dd>${isBackedUp ? "synchronised between your devices" : "on one device"}</dd>
</dl>
<form method="post" action="/settings/passkeys/remove"><input type="hidden" name="id" value="${credentialId}">
<button class="danger" aria-label="Remove passkey ${shown}">Remove</button></form>
</li>`;
}
