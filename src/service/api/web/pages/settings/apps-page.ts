// The applications that an account's owner has allowed something: name, scopes, since when, and the end of it.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { type ApiScope, scopeTexts } from "../../../../../contract/oauth/scopes.ts";
import { actorOf, isOwner } from "../../../../core/accounts/caller.ts";
import { endAccess } from "../../../../core/agents/end-access.ts";
import type { OAuthGrant } from "../../../../core/oauth/grant.ts";
import { listGrants } from "../../../../core/oauth/grants.ts";
import { agentOfClient } from "../../../../core/oauth/job-grants.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

const revokeForm = z.object({ id: z.string().check(z.maxLength(100)) });

export function appsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings/apps", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const grants = await shownGrants(context, session);
    const body = html`<p>Applications that signed in to account ${accountText(accountOf(session))}. Each is an AI client: it may not approve,
confirm or activate anything. Its access ends at once when you end it here; that of CI jobs ends for all scopes, and the policy of their agent
allows it no more.</p>
${grants.length === 0 ? html`<p class="faint">No application is signed in.</p>` : table(grants)}`;
    return await settingsPage(context, { tab: "apps", session, body });
  });

  routes.post("/settings/apps/revoke", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, revokeForm);
    const { core } = context.get("parts");
    const requestId = context.get("requestId");
    const { accountId } = session;
    const isShown = form.ok && (await shownGrants(context, session)).some(({ id }) => id === form.value.id);
    const by = actorOf(personIn(session));
    if (isShown) await endAccess(core, { accountId, id: form.value.id, by, requestId });
    return context.redirect("/settings/apps", 303);
  });

  return routes;
}

/** Who decides for the account sees all of its applications and jobs, everybody else their own. */
async function shownGrants(context: WebContext, session: WebSession): Promise<readonly OAuthGrant[]> {
  const grants = await listGrants(context.get("parts").core, session.accountId);
  return isOwner(personIn(session)) ? grants : grants.filter(({ personId }) => personId === session.personId);
}

function table(grants: readonly OAuthGrant[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Connected apps"><table>
<thead><tr><th scope="col">Application</th><th scope="col">May</th><th scope="col">Since</th><th scope="col">Last used</th><th scope="col">Ends</th><th scope="col">State</th></tr></thead>
<tbody>${grants.map(
    (grant) => html`<tr>
<td>${grant.clientName}<br><span class="faint">${place(grant.clientId)}</span></td>
<td>${grant.scope.split(" ").map((scope) => html`<div>${scopeTexts[scope as ApiScope] ?? scope}</div>`)}</td>
<td>${timeText(grant.createdAt)}</td>
<td>${timeText(grant.lastUsedAt)}</td>
<td>${timeText(grant.expiresAt)}</td>
<td>${endButton(grant)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

/** Who vouches for the name. */
function place(clientId: string): Html | string {
  const agentId = agentOfClient(clientId);
  if (agentId !== null) return html`by the policy of <a href="/agent/${agentId}">the repository's agent</a>`;
  return URL.parse(clientId)?.host ?? "named itself";
}

function endButton({ id, clientName }: OAuthGrant): Html {
  return html`<form method="post" action="/settings/apps/revoke"><input type="hidden" name="id" value="${id}">
<button class="danger" aria-label="End access of ${clientName}">End access</button></form>`;
}
