// The page of a device's code (RFC 8628): a person enters the code, sees what would be allowed, and decides. A code in the
// address only fills the field: nobody is led past the question whether the device is theirs.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { type ApiScope, KEY_MINT, scopeTexts } from "../../../contract/oauth/scopes.ts";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import { readForm } from "../web/form.ts";
import { page } from "../web/page.ts";
import type { Html, WebContext, WebEnv } from "../web/web-context.ts";
import { needRecent, needSession } from "../web/web-session.ts";
import { accountEntry } from "./account-entry.ts";
import type { OpenServer } from "./authorization-server.ts";
import { COMMAND_CLIENT } from "./built-in-client.ts";
import { documentHost, shownName } from "./client-words.ts";
import {
  allowDevice,
  type DeviceRequest,
  denyDevice,
  findDeviceRequest,
  readUserCode,
} from "./device-request.ts";
import { oauthPaths } from "./paths.ts";

const MAX_CODE_CHARS = 20;
/** Codes of one account a minute: a code cannot be guessed. */
const CODES_PER_MINUTE = 10;

const codeForm = z.object({
  code: z.string().check(z.maxLength(MAX_CODE_CHARS)),
  decision: z.optional(z.enum(["allow", "deny"])),
});
const addressQuery = z.object({ user_code: z.string().check(z.maxLength(MAX_CODE_CHARS)) });

export function deviceRoutes(open: OpenServer): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get(oauthPaths.device, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const query = addressQuery.safeParse(context.req.query());
    const code = query.success ? readUserCode(query.data.user_code) : null;
    return await codePage(context, { session, code: code ?? "" });
  });

  routes.post(oauthPaths.device, async (context) => {
    // A code of the command's is worth a key: only somebody who is there may enter one.
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, codeForm);
    if (!form.ok) return await codePage(context, { session, code: "", alert: form.refusal });
    const { core } = context.get("parts");
    const bucket = { key: `device:${session.accountId}`, perMinute: CODES_PER_MINUTE };
    if (core.limits.take({ ...bucket, now: core.clock.monotonic() }) > 0) {
      return await codePage(context, { session, code: "", alert: "Too many codes. Try again in a minute." });
    }
    const code = readUserCode(form.value.code);
    const request = code === null ? null : await findDeviceRequest(core, code);
    if (code === null || request === null) {
      const alert = "No device waits with this code. Codes end after ten minutes, and are good once.";
      return await codePage(context, { session, code: "", alert });
    }
    const client = await (await open(context)).Client.find(request.clientId).catch(() => undefined);
    if (client === undefined)
      return await codePage(context, { session, code: "", alert: "The application is gone." });
    const clientName = shownName(client);
    switch (form.value.decision) {
      case undefined:
        return await questionPage(context, { session, code, request, clientName });
      case "allow": {
        const { accountId, personId } = session;
        const isDone = await allowDevice(core, { request, accountId, personId, clientName });
        return await donePage(
          context,
          session,
          isDone ? "The device is signed in." : "It was decided before.",
        );
      }
      case "deny":
        await denyDevice(core, request);
        return await donePage(context, session, "The device got no access.");
    }
  });

  return routes;
}

async function codePage(
  context: WebContext,
  { session, code, alert }: { session: WebSession; code: string; alert?: string },
): Promise<Response> {
  const body = html`<h1>Sign a device in</h1>
${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
<p>Enter the code that your own terminal or device shows. If somebody sent you a code, close this page: they want your account.</p>
<form method="post" action="${oauthPaths.device}">
<label for="code">Code</label>
<input id="code" name="code" value="${written(code)}" maxlength="${MAX_CODE_CHARS}" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<div class="actions"><button class="main">Continue</button></div>
</form>`;
  const status = alert === undefined ? 200 : 422;
  return await page(context, { title: "Sign a device in", body, session, status, isNarrow: true });
}

async function questionPage(
  context: WebContext,
  asked: { session: WebSession; code: string; request: DeviceRequest; clientName: string },
): Promise<Response> {
  const { session, code, request, clientName } = asked;
  const host = documentHost(request.clientId);
  const isKnown = request.clientId === COMMAND_CLIENT || host !== null;
  const body = html`<h1>Allow ${clientName} to use your account?</h1>
<dl>
<dt>Code</dt><dd><strong>${written(code)}</strong></dd>
<dt>Application</dt><dd>${clientName}${host === null ? "" : html`<br><span class="faint">as ${host} says</span>`}</dd>
${accountEntry(context, session)}
</dl>
<p class="note warn"><strong>Is the device yours, and did you start this?</strong> Whoever shows this code gets the access, wherever they are.</p>
${isKnown ? "" : html`<p class="note warn"><strong>This application named itself.</strong> Nobody has checked that it is what it says.</p>`}
<h2>It may</h2>
<ul>${request.scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
<form method="post" action="${oauthPaths.device}" class="actions">
<input type="hidden" name="code" value="${code}">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Do not allow</button>
</form>`;
  return await page(context, { title: "Sign a device in", body, session, isNarrow: true });
}

async function donePage(context: WebContext, session: WebSession, text: string): Promise<Response> {
  const body = html`<h1>${text}</h1><p>You can close this page.</p>`;
  return await page(context, { title: "Sign a device in", body, session, isNarrow: true });
}

function describeScope(scope: string): string | Html {
  if (scope !== KEY_MINT) return scopeTexts[scope as ApiScope];
  return html`<strong>Have a key of your account, with which it may do everything that you may.</strong> The key is listed under
Settings, Keys, where you can end it.`;
}

/** In two halves, as devices show it. */
function written(code: string): string {
  return code === "" ? "" : `${code.slice(0, 4)}-${code.slice(4)}`;
}
