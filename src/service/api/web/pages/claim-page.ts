// The page of a claim link: its agent, and the agreement of both sides. A signed-in owner claims by a form; whoever is not
// signed in reads how.

import { Hono } from "hono";
import { html } from "hono/html";
import { repositoryOfClaim } from "../../../core/claims/claim-as-administrator.ts";
import { claimRepository } from "../../../core/claims/claim-repository.ts";
import {
  type ClaimDescription,
  type ClaimState,
  claimUrlOf,
  describeClaim,
} from "../../../core/claims/claim-url.ts";
import type { Core } from "../../../core/core.ts";
import type { WebSession } from "../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../../shared/problems/to-problem.ts";
import { accountOf, accountText } from "../account-text.ts";
import { page } from "../page.ts";
import { formFor } from "../page-roles.ts";
import type { Html, WebContext, WebEnv } from "../web-context.ts";
import { needRecent, sessionOf } from "../web-session.ts";

export function claimRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/claim/:token", (context) => claimPage(context, null));

  routes.post("/claim/:token", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    const token = context.req.param("token");
    const requestId = context.get("requestId");
    const claimed = await claimRepository(core, { caller: personIn(session), token, requestId });
    if (claimed.ok) return context.redirect(`/claim/${encodeURIComponent(token)}`, 303);
    return await claimPage(context, toProblem(claimed.refusal).message);
  });

  // A link that was not copied as it is. What stands in it is not repeated.
  routes.get("/claim/*", (context) => claimPage(context, null));

  return routes;
}

async function claimPage(context: WebContext, alert: string | null): Promise<Response> {
  const { core } = context.get("parts");
  const session = await sessionOf(context);
  const token = context.req.param("token") ?? "";
  const claim = await describeClaim(core, token);
  if (claim === null) {
    const title = "This link is not valid";
    const body = html`<h1>${title}</h1>
<p>It has ended, or it was not copied whole. The next job that needs a billing account prints a new one.</p>`;
    return await page(context, { title, body, session, status: 404, isNarrow: true });
  }
  const title = `Claim ${claim.repository}`;
  const links = { url: claimUrlOf(core, token), path: `/claim/${token}`, baseUrl: core.policy.baseUrl };
  const body = html`<h1>${title}</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${describe(claim, { ...links, session, byGithub: await byGithub(core, token) })}`;
  return await page(context, { title, body, session, status: alert === null ? 200 : 409 });
}

type Links = {
  readonly url: string;
  readonly path: string;
  readonly baseUrl: string;
  /** Null where nobody is signed in. */
  readonly session: WebSession | null;
  /** The address where an administrator claims without a job; null where the operator has not set GitHub up for it. */
  readonly byGithub: string | null;
};

function describe(claim: ClaimDescription, links: Links): Html {
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

function steps(state: ClaimState, links: Links): Html {
  const { baseUrl, session, byGithub } = links;
  const isOwn = state.status === "pending" && state.accountId === session?.accountId;
  return html`<h2>Two sides must agree</h2>
<ol>
  <li>${state.status === "pending" ? html`<strong>The account</strong> has asked for the agent: done.` : firstStep(links)}</li>
  <li><strong>The repository</strong> names that account, in the workflow step that runs the agent:
    <pre tabindex="0">with:
  base-url: ${baseUrl}
  account: ${isOwn ? session.accountId : "<id of the account>"}</pre>
    The next job that a push, a schedule, a release or a person with write access starts accepts the claim. A job of a
    pull request, an issue or a comment does not.</li>
</ol>
<p>Why both? This link may stand in a public log, so whoever reads it must not get the agent: only somebody who can
write to the repository can do the second. And nobody can make an account pay that has not done the first. Then the
agent, its sessions and its past runs are the account's, and its credits pay for the runs that follow.</p>
${byGithub === null ? "" : html`<p>Do you administer the repository? Then GitHub can say so in the place of a job: <a href="${byGithub}">claim it with GitHub</a>.</p>`}`;
}

function firstStep({ url, path, session }: Links): Html {
  const byCommand = html`<pre tabindex="0">agent-service claim ${url}</pre>`;
  if (session === null)
    return html`<strong>The account</strong> asks for the agent.
    <a class="button main" href="/sign-in?to=${encodeURIComponent(path)}">Sign in to claim it</a>
    Or with a key of the account that is to pay:
    ${byCommand}`;
  return html`<strong>The account</strong> asks for the agent. You are signed in as account ${session.accountName === null ? html`<code>${abbreviate(session.accountId)}</code>` : accountText(accountOf(session))}.
    ${formFor(session, { path: "/claim/:token", what: "claim repositories for it", form: () => html`<form method="post" action="${path}"><div class="actions"><button class="main">Claim for this account</button></div></form>` })}
    Or with a key of another account that is to pay:
    ${byCommand}`;
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

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

async function byGithub(core: Core, token: string): Promise<string | null> {
  const repository = await repositoryOfClaim(core, token);
  const isOurs = core.policy.signIn.providers.some(
    (provider) => provider.id === "github" && provider.jobIssuer === repository?.issuer,
  );
  return isOurs ? `/sign-in/claim/${token}` : null;
}
