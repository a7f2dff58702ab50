// The page a person lands on from a claim link: plain HTML, no script.

import { Hono } from "hono";
import { html } from "hono/html";
import {
  type ClaimDescription,
  type ClaimState,
  claimUrlOf,
  describeClaim,
} from "../../../core/claims/claim-url.ts";
import type { Core } from "../../../core/core.ts";
import { limitByAddress } from "../limit-rate.ts";
import type { Env } from "../request-context.ts";

const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Html = ReturnType<typeof html>;

export function claimPageRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/claim/:token", limitByAddress(core), async (context) => {
    context.header("Content-Security-Policy", CONTENT_POLICY);
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cache-Control", "no-store");
    const token = context.req.param("token");
    const claim = await describeClaim(core, token);
    if (claim === null) {
      const why = html`<p>It has ended, or it was not copied whole. The next job that needs a billing account prints a new one.</p>`;
      return context.html(page("This link is not valid", why), 404);
    }
    const { baseUrl } = core.policy;
    return context.html(
      page(`Claim ${claim.repository}`, describe(claim, { url: claimUrlOf(core, token), baseUrl })),
    );
  });

  return routes;
}

function describe(claim: ClaimDescription, links: { url: string; baseUrl: string }): Html {
  const { repository, isPublic, creditsRemaining, resetsAt, expiresAt, state } = claim;
  const facts = html`<dl>
  <dt>Repository</dt><dd>${repository} (${isPublic ? "public" : "not public: free credits are for public repositories"})</dd>
  <dt>State</dt><dd>${stateText(state)}</dd>
</dl>`;
  switch (state.status) {
    case "claimed":
      return html`${facts}
<p>An account owns the agent of <strong>${repository}</strong> and pays for its runs. There is nothing left to do here.</p>`;
    case "over":
      return html`${facts}
<p>This link has been used, and its claim has ended. The next job that needs a billing account prints a new link.</p>`;
    case "open":
    case "pending":
      return html`<p>A CI job of <strong>${repository}</strong> printed this link: its agent needs a billing account to go on.</p>
${facts}
${isPublic ? "" : html`<p>Once it is claimed, its jobs send the commits that they work on. The service gets no access to the repository itself.</p>`}
<dl>
  <dt>Free credits left this month</dt><dd>${creditsRemaining}, new ones on ${day(resetsAt)}</dd>
  <dt>${state.status === "open" ? "This link ends" : "The claim ends"}</dt><dd>${day(expiresAt)}</dd>
</dl>
${steps(state, links)}`;
  }
}

function steps(state: ClaimState, { url, baseUrl }: { url: string; baseUrl: string }): Html {
  const first =
    state.status === "pending"
      ? html`<strong>The account</strong> has asked for the agent: done.`
      : html`<strong>The account</strong> asks for the agent. With a key of the account that is to pay:
    <pre>agent-service claim ${url}</pre>`;
  return html`<h2>Two sides must agree</h2>
<ol>
  <li>${first}</li>
  <li><strong>The repository</strong> names that account, in the workflow step that runs the agent:
    <pre>with:
  base-url: ${baseUrl}
  account: &lt;id of the account&gt;</pre>
    The next job that a push, a schedule, a release or a person with write access starts accepts the claim. A job of a
    pull request, an issue or a comment does not.</li>
</ol>
<p>Why both? This link may stand in a public log, so whoever reads it must not get the agent: only somebody who can
write to the repository can do the second. And nobody can make an account pay that has not done the first. Then the
agent, its sessions and its past runs are the account's, and its credits pay for the runs that follow.</p>`;
}

function stateText(state: ClaimState): string {
  switch (state.status) {
    case "open":
      return "not claimed";
    case "pending":
      return `pending for account ${abbreviate(state.accountId)}`;
    case "claimed":
      return "claimed";
    case "over":
      return "not claimed; this link has been used and its claim has ended";
  }
}

/** Enough of an account's id for its owner to know it. */
function abbreviate(id: string): string {
  return `${id.slice(0, 8)}…${id.slice(-4)}`;
}

function page(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color: #1f2328; }
  dt { font-weight: 600; margin-top: .5rem } dd { margin: 0 }
  pre { background: #eff1f3; padding: .75em; border-radius: 4px; overflow-x: auto }
  @media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } pre { background: #262c36 } }
</style>
<h1>${title}</h1>
${body}
</html>`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
