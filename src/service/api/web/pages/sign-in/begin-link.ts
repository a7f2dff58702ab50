// The way to a provider to link an identity there to the account of the session.

import { Hono } from "hono";
import { notFoundPage } from "../../page.ts";
import type { WebEnv } from "../../web-context.ts";
import { needRecent } from "../../web-session.ts";
import { providerOf } from "./provider-attempt.ts";
import { goToProvider } from "./provider-sign-in.ts";

export function beginLinkRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  // Not a form: a content policy holds for all redirects after a form, and a provider's are its own affair.
  routes.get("/settings/identities/link/:provider", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const provider = providerOf(context, context.req.param("provider"));
    const site = context.req.header("sec-fetch-site") ?? "same-origin";
    // A link on another page must not begin it.
    if (provider === null || site !== "same-origin") return await notFoundPage(context, session);
    return await goToProvider(context, provider, { kind: "link", personId: session.personId });
  });

  return routes;
}
