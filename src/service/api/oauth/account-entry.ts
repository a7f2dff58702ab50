// The account that an application asks to act in, as the pages of consent show it, with the way to another one.

import { html } from "hono/html";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import { accountOf, accountText } from "../web/account-text.ts";
import { pathWithQuery } from "../web/own-path.ts";
import type { Html, WebContext } from "../web/web-context.ts";

export function accountEntry(context: WebContext, session: WebSession): Html {
  const another = `/accounts?to=${encodeURIComponent(pathWithQuery(context.req.url))}`;
  return html`<dt>Account</dt><dd>${accountText(accountOf(session))}, where your role is ${session.role}: the application may do no more than you. <a href="${another}">Choose another account</a></dd>`;
}
