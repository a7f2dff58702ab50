// The section about ID tokens of an agent's runs: issuer and subject for whoever configures a trust, and the audiences that its owner grants.

import { html } from "hono/html";
import * as z from "zod/mini";
import { issuerFaultText } from "../../../../../contract/issuer-reach.ts";
import { audienceSchema, MAX_AUDIENCE_CHARS } from "../../../../../contract/run-identity.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { Core } from "../../../../core/core.ts";
import type { AudienceGrant } from "../../../../core/run-identity/audience-grant.ts";
import { issuerOf } from "../../../../core/run-identity/identity-keys.ts";
import { subjectOf } from "../../../../core/run-identity/run-claims.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";

export const audienceForm = z.object({
  change: z.enum(["grant", "revoke"]),
  audience: z.pipe(z.string().check(z.trim()), audienceSchema),
  runs: z._default(z.enum(["trusted", "all"]), "trusted"),
});

/** For who may not change them. */
export function audienceList(grants: readonly AudienceGrant[]): Html {
  return listed(grants, () => "");
}

export function audienceSection(
  core: Core,
  { agent, grants }: { readonly agent: Agent; readonly grants: readonly AudienceGrant[] },
): Html {
  const path = `/agent/${agent.id}/audiences`;
  const list = listed(
    grants,
    ({ audience }) =>
      html`<form class="end" method="post" action="${path}"><input type="hidden" name="change" value="revoke"><input type="hidden" name="audience" value="${audience}"><button class="danger" aria-label="Revoke the grant for ${audience}">Revoke</button></form>`,
  );
  if (core.identity.sealingKeys === null)
    return html`${list}<p class="faint">This service vouches for no run: its operator has set no <code>RUN_SECRETS_KEY</code>.</p>`;
  const fault = issuerFaultText(core.policy.baseUrl);
  return html`<p>Commands of its runs can prove to a cloud who they are, without a stored key. A cloud trusts this issuer and this subject:</p>
<dl><dt>Issuer</dt><dd><code>${issuerOf(core)}</code></dd>
<dt>Subject</dt><dd><code>${subjectOf(agent, "trusted")}</code></dd></dl>
${fault === null ? "" : html`<p class="note warn">${fault}</p>`}
${list}
<form method="post" action="${path}"><input type="hidden" name="change" value="grant">
  <label for="audience">Audience</label>
  <input id="audience" name="audience" maxlength="${MAX_AUDIENCE_CHARS}" autocomplete="off" spellcheck="false" required aria-describedby="audience-hint">
  <p class="hint" id="audience-hint">Whom the tokens are for: <code>sts.amazonaws.com</code>, or what the cloud calls the audience.</p>
  <label for="runs">Runs</label>
  <select id="runs" name="runs"><option value="trusted">those in which only writers of the repository and people of this account have a say</option><option value="all">all, those of pull requests from forks among them</option></select>
  <div class="actions"><button>Let its runs get tokens</button></div>
</form>`;
}

function listed(grants: readonly AudienceGrant[], act: (grant: AudienceGrant) => Html | ""): Html {
  if (grants.length === 0) return html`<p class="faint">Its runs get no ID tokens.</p>`;
  return html`<ul class="cards">${grants.map(
    (grant) =>
      html`<li class="card row"><code>${grant.audience}</code><span class="faint">${grant.allowsUntrusted ? "for all runs, " : ""}since ${timeText(grant.grantedAt)}</span>${act(grant)}</li>`,
  )}</ul>`;
}
