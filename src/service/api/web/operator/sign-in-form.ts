// The page at which operators sign in: with a passkey, or with an identity at a provider.

import { html } from "hono/html";
import { identityText } from "../../../core/operators/operator.ts";
import type { OperatorRefusal } from "../../../core/operators/refusals.ts";
import { passkeyDomain } from "../passkey-domain.ts";
import type { Html, WebContext } from "../web-context.ts";
import { operatorPage } from "./operator-page.ts";

type SignInForm = {
  /** The destination: a path of the operator's pages. */
  readonly to: string;
  /** The failure. */
  readonly alert: Html | null;
  readonly status?: 200 | 403 | 422 | 429;
};

export async function operatorSignInForm(
  context: WebContext,
  { to, alert, status = 200 }: SignInForm,
): Promise<Response> {
  const { core } = context.get("parts");
  const { operators, signIn } = core.policy;
  const hasPasskeys = passkeyDomain(core) !== null && (await core.store.committed.operators.hasAny());
  const providers = operators.identities.length === 0 ? [] : signIn.providers;
  const body = html`<h1>Sign in as operator</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${
  hasPasskeys
    ? html`<form method="post" action="/operator/sign-in/passkey" data-passkey="sign-in" hidden>
  <input type="hidden" name="to" value="${to}">
  <input type="hidden" name="response">
  <p class="error" role="alert" data-fault hidden></p>
  <div class="actions"><button class="main">Use a passkey</button></div>
</form>
<noscript><p class="note warn">To use a passkey, allow scripts for this page.</p></noscript>`
    : ""
}
${providers.length === 0 ? "" : html`<div class="actions">${providers.map(({ id, title }) => html`<a class="button" href="/operator/sign-in/with/${id}?to=${encodeURIComponent(to)}">Sign in with ${title}</a>`)}</div>`}
<p class="faint">An account's session or key is of no use here. A new operator needs a link, which is made on the service's machine:
<code>agent-service operators link</code></p>`;
  return await operatorPage(context, {
    title: "Sign in",
    body,
    status,
    isNarrow: true,
    scripts: hasPasskeys ? ["passkey"] : [],
  });
}

/** The text for a person. It says nothing of who operates the service. */
export function operatorRefusalText(refusal: OperatorRefusal): Html {
  switch (refusal.reason) {
    case "link_over":
      return html`This link was used before, or it has ended. Make a new one on the service's machine.`;
    case "attempt_over":
      return html`This was not begun in this browser, or it took more than ten minutes. Begin again.`;
    case "passkey_refused":
      return html`This passkey is no operator's.`;
    case "identity_refused":
      return html`The provider did not confirm who you are. Begin again.`;
    case "not_an_operator":
      return html`You are <code>${identityText(refusal.identity)}</code>, which is not in this service's setting
<code>OPERATOR_IDENTITIES</code>.`;
    case "rate_limited":
      return html`Too many attempts from your network. Try again in ${Math.ceil(refusal.retryAfterMs / 1000)} s.`;
  }
}
