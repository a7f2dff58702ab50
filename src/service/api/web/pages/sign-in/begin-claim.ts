// The page on which whoever is signed in claims a repository by what GitHub says of them.

import { Hono } from "hono";
import { html } from "hono/html";
import { repositoryOfClaim } from "../../../../core/claims/claim-as-administrator.ts";
import { claimRepository } from "../../../../core/claims/claim-repository.ts";
import type { GithubProvider } from "../../../../core/sign-in/sign-in-policy.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { notFoundPage, page } from "../../page.ts";
import { formFor } from "../../page-roles.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { providerOf } from "./provider-attempt.ts";
import { goToProvider } from "./provider-sign-in.ts";

export function beginClaimRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/sign-in/claim/:token", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const repository = await repositoryOfClaim(context.get("parts").core, context.req.param("token"));
    const provider = githubOf(context);
    if (repository === null || provider === null || repository.issuer !== provider.jobIssuer) {
      return await notFoundPage(context, session);
    }
    const body = html`<h1>Claim ${repository.name}</h1>
<p>Account ${accountText(accountOf(session))} gets the repository's agent, and pays for its runs from then on.</p>
<p>GitHub is asked once whether you administer the repository now. The service gets no other access, and keeps none.</p>
${formFor(session, { path: "/sign-in/claim/:token", what: "claim repositories for it", form: () => html`<form method="post" class="actions"><button class="main">Claim with GitHub</button></form>` })}`;
    const formTargets = [new URL(provider.webUrl).origin];
    return await page(context, { title: "Claim", body, session, isNarrow: true, formTargets });
  });

  routes.post("/sign-in/claim/:token", async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    const token = context.req.param("token");
    const [provider, repository] = [githubOf(context), await repositoryOfClaim(core, token)];
    if (provider === null || repository?.issuer !== provider.jobIssuer) {
      return await notFoundPage(context, session);
    }
    const requestId = context.get("requestId");
    const claimed = await claimRepository(core, { caller: personIn(session), token, requestId });
    if (!claimed.ok) return await notFoundPage(context, session);
    const { agentId } = claimed.value;
    return await goToProvider(context, provider, { kind: "claim", accountId: session.accountId, agentId });
  });

  return routes;
}

function githubOf(context: WebContext): GithubProvider | null {
  const provider = providerOf(context, "github");
  return provider?.id === "github" ? provider : null;
}
