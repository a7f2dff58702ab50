// An agent's settings: what its runs may do and cost, who may start them, its end. Each says what it does as it stands.

import { html } from "hono/html";
import type { Core } from "../../../../core/core.ts";
import { maySend, whoMay } from "../../page-roles.ts";
import type { Html } from "../../web-context.ts";
import { accessSection } from "./access-section.ts";
import type { ShownAgent } from "./agent-part.ts";
import { deletionSection, grantList, grantSection } from "./agent-sections.ts";
import { audienceList, audienceSection } from "./audience-section.ts";
import { policySection } from "./policy-form.ts";

const MICRO_PER_USD = 1_000_000;

export async function settingsPart(core: Core, { agent, session, workspaces }: ShownAgent): Promise<Html> {
  const { id, repository, ciPolicy, advisorMaxSpendMicroUsd: cap } = agent;
  const { committed } = core.store;
  const [grants, audiences, access] = await Promise.all([
    committed.writeGrants.list(id),
    committed.runIdentity.listAudiences(id),
    committed.repositoryAccess.find(id),
  ]);
  if (!maySend(session, "/agent/:agentId/policy"))
    return html`<p class="faint">${whoMay(session, "/agent/:agentId/policy", "change and delete agents")}</p>
<h2>Writing by MCP servers</h2>
${grantList(grants)}
<h2>ID tokens for clouds</h2>
${audienceList(audiences)}
<h2>Advisor</h2>
<p>${advisorText(cap)}</p>`;
  return html`${repository === null ? "" : html`<h2>CI jobs that may run it</h2>${policySection(id, ciPolicy)}`}
${repository === null ? "" : html`<h2>Reading the repository</h2>${accessSection(core, { agent, access })}`}
<h2>Writing by MCP servers</h2>
${grantSection(id, grants)}
<h2>ID tokens for clouds</h2>
${audienceSection(core, { agent, grants: audiences })}
<h2>Advisor</h2>
<p>${advisorText(cap)}</p>
<form method="post" action="/agent/${id}/advisor">
  <label for="cap">US dollars a turn</label>
  <input id="cap" name="usd" inputmode="decimal" value="${cap === null ? "" : cap / MICRO_PER_USD}" aria-describedby="cap-hint">
  <p class="hint" id="cap-hint">What asking the stronger model may cost. 0 stops it. Empty: no cap.</p>
  <div class="actions"><button>Save the cap</button></div>
</form>
${workspaces.some(({ managerAgentId }) => managerAgentId === id) ? "" : deletionSection(agent)}`;
}

function advisorText(cap: number | null): string {
  if (cap === null) return "A turn may ask the stronger model without a cap of its own.";
  if (cap === 0) return "The stronger model is not asked.";
  return `A turn may spend up to ${cap / MICRO_PER_USD} US dollars on the stronger model.`;
}
