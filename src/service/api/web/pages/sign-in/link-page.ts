// The page of a one-time link: a button. Opening the page uses nothing up, because scanners of mail open every link.

import { Hono } from "hono";
import { html } from "hono/html";
import { describeSignInLink, useSignInLink } from "../../../../core/sign-in/sign-in-links.ts";
import { page } from "../../page.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { finishSignIn, recordRefusal, refusalText } from "./finish-sign-in.ts";

export function linkRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/sign-in/link/:token", async (context) => {
    const token = context.req.param("token");
    const link = await describeSignInLink(context.get("parts").core, token);
    if (link === null) return await overPage(context);
    const what =
      link.accountId === null
        ? html`It opens the first account of this service and makes you its owner.`
        : html`Account <code>${link.accountId}</code>`;
    const body = html`<h1>Sign in</h1>
<p>${what}</p>
<form method="post" class="actions"><button class="main">Sign in</button></form>
<p class="hint">This link works once, until ${timeOf(link.expiresAt)}.</p>`;
    const session = await sessionOf(context);
    return await page(context, { title: "Sign in", body, session, isNarrow: true });
  });

  routes.post("/sign-in/link/:token", async (context) => {
    const used = await useSignInLink(context.get("parts").core, context.req.param("token"));
    if (!used.ok) {
      await recordRefusal(context, { reason: used.refusal.reason, method: "link" });
      return await overPage(context);
    }
    return await finishSignIn(context, { ...used.value, method: "link", to: "/settings/passkeys" });
  });

  return routes;
}

async function overPage(context: WebContext): Promise<Response> {
  const body = html`<h1>This link is not valid</h1>
<p>${refusalText({ reason: "link_over" })}</p>
<pre tabindex="0">agent-service accounts sign-in-link &lt;account&gt;</pre>
<p><a href="/sign-in">Sign in another way</a></p>`;
  const session = await sessionOf(context);
  return await page(context, { title: "Link not valid", body, session, status: 410, isNarrow: true });
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 16)} UTC`;
}
