// The page of a link that registers an operator: it asks for a passkey. Opening the page uses nothing up.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { refused } from "../../../../base/result.ts";
import {
  addOperator,
  findOperatorLink,
  isOperated,
  operatorLinkHash,
} from "../../../core/operators/operators.ts";
import { chargeSignIn, giveBackSignIn } from "../../../core/sign-in/sign-in-by-key.ts";
import { recallAttempt, rememberAttempt } from "../attempt-cookie.ts";
import { readForm } from "../form.ts";
import { browserName } from "../pages/settings/browser-name.ts";
import { loadCeremony, passkeyDomain } from "../passkey-domain.ts";
import type { Html, WebContext, WebEnv } from "../web-context.ts";
import { finishOperatorSignIn, refuseOperator } from "./finish-sign-in.ts";
import { notSetUp, operatorPage } from "./operator-page.ts";
import { operatorRefusalText } from "./sign-in-form.ts";

const MAX_NAME_CHARS = 60;

const newOperatorForm = z.object({
  response: z.string().check(z.maxLength(32_000)),
  name: z.string().check(z.trim(), z.maxLength(MAX_NAME_CHARS)),
});
const stateSchema = z.object({ challenge: z.string(), linkHash: z.string(), operatorId: z.string() });

export function operatorLinkRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/operator/link/:token", async (context) => {
    const link = await findOperatorLink(context.get("parts").core, context.req.param("token"));
    return link === null ? await overPage(context) : await linkPage(context, { ...link, alert: null });
  });

  routes.post("/operator/link/:token/options", async (context) => {
    const { core } = context.get("parts");
    const token = context.req.param("token");
    const domain = passkeyDomain(core);
    if (domain === null || (await findOperatorLink(core, token)) === null)
      return context.json({ error: "This link is not valid, or passkeys need a domain." }, 404);
    const { registrationOptions } = await loadCeremony();
    const operatorId = core.random.uuid(core.clock.now());
    const options = await registrationOptions(core, {
      domain,
      userName: "operator",
      userId: operatorId,
      known: [],
    });
    const state = { challenge: options.challenge, linkHash: operatorLinkHash(token), operatorId };
    await rememberAttempt(context, { kind: "operator_registration", state });
    context.header("Cache-Control", "no-store");
    return context.json(options);
  });

  routes.post("/operator/link/:token", async (context) => {
    const { core } = context.get("parts");
    const link = await findOperatorLink(core, context.req.param("token"));
    if (link === null) return await overPage(context);
    const form = await readForm(context, newOperatorForm);
    if (!form.ok) return await linkPage(context, { ...link, alert: html`${form.refusal}` });
    const added = await add(context, form.value);
    if (added.ok) {
      const who = { kind: "passkey", operator: added.value } as const;
      return await finishOperatorSignIn(context, { who, to: "/operator" });
    }
    const { refusal } = added;
    if (refusal.reason === "link_over") return await overPage(context);
    if (refusal.reason === "rate_limited")
      return await refuseOperator(context, refusal, { method: "passkey" });
    return await linkPage(context, { ...link, alert: operatorRefusalText(refusal) });
  });

  return routes;
}

async function add(context: WebContext, { response, name }: z.infer<typeof newOperatorForm>) {
  const { core } = context.get("parts");
  const address = context.get("address");
  const excess = chargeSignIn(core, address);
  if (excess !== null) return refused(excess);
  const token = context.req.param("token") ?? "";
  const state = z.safeParse(stateSchema, await recallAttempt(context, "operator_registration"));
  const domain = passkeyDomain(core);
  if (!state.success || domain === null || state.data.linkHash !== operatorLinkHash(token))
    return refused({ reason: "attempt_over" } as const);
  const { challenge, operatorId: id } = state.data;
  const { verifyRegistration } = await loadCeremony();
  const passkey = await verifyRegistration(core, { domain, challenge, response, name });
  if (passkey === null) return refused({ reason: "attempt_over" } as const);
  const added = await addOperator(core, { id, token, passkey, requestId: context.get("requestId") });
  if (added.ok) giveBackSignIn(core, address);
  return added;
}

async function linkPage(
  context: WebContext,
  { expiresAt, alert }: { readonly expiresAt: number; readonly alert: Html | null },
): Promise<Response> {
  const { core } = context.get("parts");
  const canAdd = passkeyDomain(core) !== null;
  const until = new Date(expiresAt).toISOString().slice(11, 16);
  const body = html`<h1>Become an operator</h1>
<p>An operator sees every account, repository and run of this service, its credits, its audit trail and its settings; no prompt, no message and no
file. You sign in with a passkey from then on: this device's fingerprint, face or PIN.</p>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${canAdd ? addForm(context) : html`<p class="note warn">Browsers make passkeys for https and a domain only, or for localhost. These pages are at ${core.policy.webUrl}: set WEB_URL, or BASE_URL.</p>`}
<p class="hint">This link works once, until ${until} UTC.</p>`;
  return await operatorPage(context, {
    title: "Become an operator",
    body,
    status: alert === null ? 200 : 422,
    isNarrow: true,
    scripts: canAdd ? ["passkey"] : [],
  });
}

function addForm(context: WebContext): Html {
  const name = browserName(context.req.header("user-agent") ?? "");
  return html`<form method="post" action="/operator/link/${context.req.param("token")}" data-passkey="register">
  <input type="hidden" name="response">
  <label for="name">Name</label>
  <input id="name" name="name" maxlength="${MAX_NAME_CHARS}" autocomplete="off" required value="${name}" aria-describedby="name-hint">
  <p class="hint" id="name-hint">Who you are, and which device it is. Other operators see it.</p>
  <p class="error" role="alert" data-fault hidden></p>
  <div class="actions"><button class="main" disabled>Register a passkey</button></div>
</form>
<noscript><p class="note warn">To register a passkey, allow scripts for this page.</p></noscript>`;
}

async function overPage(context: WebContext): Promise<Response> {
  if (!(await isOperated(context.get("parts").core))) return await notSetUp(context);
  const body = html`<h1>This link is not valid</h1>
<p>${operatorRefusalText({ reason: "link_over" })}</p>
<pre tabindex="0">agent-service operators link</pre>
<p><a href="/operator/sign-in">Sign in</a></p>`;
  return await operatorPage(context, { title: "Link not valid", body, status: 410, isNarrow: true });
}
