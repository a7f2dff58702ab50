// The page to sign in at: with a passkey, or with a key, which is sent once and stays in no address.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { signInByKey } from "../../../../core/sign-in/sign-in-by-key.ts";
import { readForm } from "../../form.ts";
import { ownPathOf } from "../../own-path.ts";
import { page } from "../../page.ts";
import { passkeyDomain } from "../../passkey-domain.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { alertOf, finishSignIn, recordRefusal, refusalText } from "./finish-sign-in.ts";

const keyForm = z.object({
  key: z.string().check(z.trim(), z.maxLength(200)),
  to: z.optional(z.string()),
  again: z.optional(z.string()),
});

type SignInPage = {
  /** The destination. */
  readonly to: string;
  /** Whether somebody who is signed in proves again who they are. */
  readonly isAgain: boolean;
  /** The failure. */
  readonly alert: string | null;
  readonly status?: 200 | 403 | 422 | 429;
};

export function signInRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/sign-in", async (context) => {
    const to = ownPathOf(context.req.query("to"));
    const isAgain = context.req.query("again") === "1";
    const session = await sessionOf(context);
    if (session !== null && !isAgain) return context.redirect(to, 303);
    return await signInPage(context, { to, isAgain: isAgain && session !== null, alert: null });
  });

  routes.post("/sign-in", async (context) => {
    const form = await readForm(context, keyForm);
    if (!form.ok) {
      return await signInPage(context, { to: "/", isAgain: false, alert: form.refusal, status: 422 });
    }
    const { key: secret, again } = form.value;
    const to = ownPathOf(form.value.to);
    const { core } = context.get("parts");
    const signedIn = await signInByKey(core, { secret, address: context.get("address") });
    if (signedIn.ok) return await finishSignIn(context, { ...signedIn.value, method: "key", to });
    const { refusal } = signedIn;
    await recordRefusal(context, { reason: refusal.reason, method: "key" });
    if (refusal.reason === "rate_limited") {
      context.header("Retry-After", String(Math.ceil(refusal.retryAfterMs / 1000)));
    }
    const status = refusal.reason === "rate_limited" ? 429 : 403;
    return await signInPage(context, { to, isAgain: again === "1", alert: refusalText(refusal), status });
  });

  return routes;
}

export async function signInPage(context: WebContext, shown: SignInPage): Promise<Response> {
  const { to, isAgain, alert, status = 200 } = shown;
  const title = isAgain ? "Confirm that it is you" : "Sign in";
  const { providers } = context.get("parts").core.policy.signIn;
  const hasPasskeys = passkeyDomain(context.get("parts").core) !== null;
  const scripts = hasPasskeys ? (["passkey"] as const) : [];
  const target = html`<input type="hidden" name="to" value="${to}">
  ${isAgain ? html`<input type="hidden" name="again" value="1">` : ""}`;
  const body = html`<h1>${title}</h1>
${alertOf(alert)}
${isAgain ? html`<p>What you are about to do is for the account's owner alone. Sign in once more.</p>` : ""}
${
  hasPasskeys
    ? html`<form method="post" action="/sign-in/passkey" data-passkey="sign-in"${alert === null ? html` data-suggest` : ""} hidden>
  ${target}
  <input type="hidden" name="response">
  <p class="error" role="alert" data-fault hidden></p>
  <div class="actions"><button class="main">Use a passkey</button></div>
</form>`
    : ""
}
<form method="post" action="/sign-in">
  ${target}
  <label for="key">A key of your account</label>
  <input id="key" name="key" type="password" required maxlength="200" autocomplete="${hasPasskeys ? "current-password webauthn" : "off"}" spellcheck="false"
    aria-describedby="key-hint" placeholder="svc_sk_…">
  <p class="hint" id="key-hint">An owner's key. It is used once to sign in, and not kept in this browser.</p>
  <div class="actions"><button class="main">${isAgain ? "Confirm" : "Sign in"}</button></div>
</form>
${providers.length === 0 ? "" : html`<div class="actions">${providers.map(({ id, title }) => html`<a class="button" href="/sign-in/with/${id}?to=${encodeURIComponent(to)}">Sign in with ${title}</a>`)}</div>`}
<details>
  <summary>No key?</summary>
  <p>The operator of this service makes a link that signs you in once:</p>
  <pre tabindex="0">agent-service accounts sign-in-link &lt;account&gt;</pre>
</details>`;
  return await page(context, {
    title,
    body,
    session: await sessionOf(context),
    status,
    isNarrow: true,
    scripts,
  });
}
