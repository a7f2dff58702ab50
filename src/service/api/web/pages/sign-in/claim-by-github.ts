// A claim without a job: whoever is signed in asks for the agent, and proves to GitHub that they administer the repository.

import { html } from "hono/html";
import { isOwner } from "../../../../core/accounts/caller.ts";
import { completeAsAdministrator } from "../../../../core/claims/claim-as-administrator.ts";
import type { IdentityProvider } from "../../../../core/sign-in/sign-in-policy.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { administersRepository, type ProvenPersonOf } from "../../identity-provider.ts";
import { page } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";

type Came = {
  readonly provider: IdentityProvider;
  readonly proven: ProvenPersonOf;
  readonly purpose: { readonly accountId: string; readonly agentId: string };
};

/** The way back from GitHub. Its token is used for one request and forgotten. */
export async function claimRepositoryOf(
  context: WebContext,
  { provider, proven, purpose }: Came,
): Promise<Response> {
  const session = await needSession(context);
  if (session instanceof Response) return session;
  const { core } = context.get("parts");
  const { accountId, agentId } = purpose;
  const repository = (await core.store.committed.agents.find(agentId))?.repository ?? null;
  const token = proven.accessToken;
  const mayAsk = provider.id === "github" && repository?.issuer === provider.jobIssuer && token !== null;
  if (!mayAsk || session.accountId !== accountId || !isOwner(personIn(session)))
    return await claimPage(context, "It was not begun here.");
  const isAdministrator = await administersRepository(provider, { token, repositoryId: repository.id }).catch(
    () => false,
  );
  if (!isAdministrator) {
    const why = html`GitHub does not say that <strong>${proven.identity.name}</strong> administers <strong>${repository.name}</strong>. A job of the repository can accept the claim in your place: the claim page says how.`;
    return await claimPage(context, why);
  }
  const done = await completeAsAdministrator(core, {
    caller: personIn(session),
    agentId,
    requestId: context.get("requestId"),
  });
  if (!done.ok) return await claimPage(context, "The claim has ended, or another account has the agent.");
  const body = html`<h1>${done.value.name} is yours</h1>
<p>Its agent, sessions and past runs are now those of account ${accountText(accountOf(session))}, and its credits pay for the runs that follow.</p>
<p><a href="/settings/credits">Credits</a></p>`;
  return await page(context, { title: "Claimed", body, session, isNarrow: true });
}

async function claimPage(context: WebContext, why: string | ReturnType<typeof html>): Promise<Response> {
  const session = await needSession(context);
  if (session instanceof Response) return session;
  const body = html`<h1>The repository is not claimed</h1><p class="note bad" role="alert">${why}</p>`;
  return await page(context, { title: "Not claimed", body, session, status: 403, isNarrow: true });
}
