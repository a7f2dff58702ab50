// The page a person lands on from a claim link: plain HTML, no script.

import { Hono } from "hono";
import { html } from "hono/html";
import { describeClaim } from "../../core/claim-url.ts";
import type { Core } from "../../core/core.ts";
import type { Env } from "../request-context.ts";

const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function pageRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/claim/:token", async (context) => {
    context.header("Content-Security-Policy", CONTENT_POLICY);
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cache-Control", "no-store");
    const claim = await describeClaim(core, context.req.param("token"));
    if (claim === null) {
      return context.html(
        page(
          "This link is not valid",
          html`<p>It has ended, or it was not copied whole. The next job that needs a
        payer prints a new one.</p>`,
        ),
        404,
      );
    }
    const { repository, isPublic, creditsRemaining, resetsAt, expiresAt } = claim;
    return context.html(
      page(
        `Claim ${repository}`,
        html`<p>A CI job of <strong>${repository}</strong> printed this link: its agent needs a payer to go on.</p>
        <dl>
          <dt>Repository</dt><dd>${repository} (${isPublic ? "public" : "not public: free credits are for public repositories"})</dd>
          <dt>Free credits left this month</dt><dd>${creditsRemaining}, new ones on ${day(resetsAt)}</dd>
          <dt>This link ends</dt><dd>${day(expiresAt)}</dd>
          <dt>State</dt><dd>not claimed</dd>
        </dl>
        <p>This version of the service does not take claims yet. ${
          isPublic
            ? html`Until it does, its operator can give every owner more free credits with the setting
              <code>CI_FREE_CREDITS</code>.`
            : "Until it does, it runs agents for public repositories alone."
        }</p>`,
      ),
    );
  });

  return routes;
}

function page(title: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color: #1f2328; }
  dt { font-weight: 600; margin-top: .5rem } dd { margin: 0 }
  code { background: #eff1f3; padding: .1em .3em; border-radius: 4px }
  @media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } code { background: #262c36 } }
</style>
<h1>${title}</h1>
${body}
</html>`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
