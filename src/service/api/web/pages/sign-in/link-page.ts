// The page of a one-time link: a button. Opening the page uses nothing up, because scanners of mail open every link.

import { Hono } from "hono";
import { html } from "hono/html";
import { readAccount } from "../../../../core/accounts/account-name.ts";
import type { Core } from "../../../../core/core.ts";
import { describeSignInLink, useSignInLink } from "../../../../core/sign-in/sign-in-links.ts";
import { accountText } from "../../account-text.ts";
import { page } from "../../page.ts";
import { passkeyDomain } from "../../passkey-domain.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { finishSignIn, recordRefusal, refusalText } from "./finish-sign-in.ts";

export function linkRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/sign-in/link/:token", async (context) => {
    const token = context.req.param("token");
    const { core } = context.get("parts");
    const link = await describeSignInLink(core, token);
    if (link === null) return await overPage(context);
    const what =
      link.accountId === null
        ? html`It opens the first account of this service and makes you its owner.`
        : html`Account ${accountText(await readAccount(core, { accountId: link.accountId }))}`;
    const body = html`<h1>Sign in</h1>
<p>${what}</p>
<form method="post" class="actions"><button class="main">Sign in</button></form>
<p class="hint">This link works once, until ${timeOf(link.expiresAt)}.</p>`;
    const session = await sessionOf(context);
    return await page(context, { title: "Sign in", body, session, isNarrow: true });
  });

  routes.post("/sign-in/link/:token", async (context) => {
    const { core } = context.get("parts");
    const used = await useSignInLink(core, context.req.param("token"));
    if (!used.ok) {
      await recordRefusal(context, { reason: used.refusal.reason, method: "link" });
      return await overPage(context);
    }
    return await finishSignIn(context, {
      ...used.value,
      method: "link",
      to: await firstPageOf(core, used.value),
    });
  });

  return routes;
}

/** A link is the way in that nobody has at hand next time: it leads to adding a passkey, where there can be one. */
async function firstPageOf(core: Core, { personId }: { readonly personId: string }): Promise<string> {
  if (passkeyDomain(core) === null) return "/";
  const passkeys = await core.store.committed.identities.listPasskeys(personId);
  return passkeys.length === 0 ? "/settings/passkeys" : "/";
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
