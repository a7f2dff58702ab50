// The page of an application's request that fails before it may be answered to the application. Not a word of the request is
// repeated.

import { html } from "hono/html";
import { page } from "../web/page.ts";
import type { WebContext } from "../web/web-context.ts";
import { sessionOf } from "../web/web-session.ts";

const texts: Readonly<Record<string, string>> = {
  invalid_client:
    "This service cannot find out who the application is. It is not registered here, or the address that it names itself by could not be read.",
  invalid_redirect_uri: "The application wants its answer at an address that is not its own.",
  invalid_client_metadata: "What the application says of itself is not right.",
  invalid_target: "The application asked for access to another service.",
  invalid_request: "The application's request is not right.",
  unsupported_response_type: "The application asked for an answer that this service does not give.",
  unsupported_response_mode: "The application asked for an answer that this service does not give.",
  access_denied: "The application got no access.",
};

/** `error` only chooses among texts of our own. */
export async function errorPage(context: WebContext, error: string): Promise<Response> {
  const text = texts[error] ?? "The application's request is not right, or has ended.";
  const body = html`<h1>The sign-in cannot go on</h1>
<p>${text}</p>
<p class="faint">Nothing was allowed. Begin again in the application; if it fails again, tell whoever makes it, or whoever runs this service.</p>`;
  const session = await sessionOf(context);
  return await page(context, { title: "Sign-in failed", body, session, status: 400, isNarrow: true });
}
