// Pending approvals as cards on a page.

import { html } from "hono/html";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { ApprovalRecord } from "../../../../core/approvals/approval.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { Html, WebContext } from "../../web-context.ts";
import { approvalFacts, decisionForms, textsOf } from "./approval-card.ts";
import { gatherEvidence } from "./evidence.ts";

/** Changesets whose changes are compared for one page: the others are a link away. */
const MAX_DIFFS = 5;

type Pending = {
  readonly approvals: readonly ApprovalRecord[];
  readonly agents: ReadonlyMap<string, Pick<Agent, "id" | "name">>;
};

/** Each with what one has to see to decide it, and the buttons. */
export async function pendingCards(
  context: WebContext,
  session: WebSession,
  { approvals, agents }: Pending,
): Promise<Html> {
  const { core } = context.get("parts");
  const caller = personIn(session);
  const { signal } = context.req.raw;
  const changesets = approvals.filter(({ action }) => action.kind === "accept_changeset");
  const drawn = new Set(changesets.slice(0, MAX_DIFFS).map(({ id }) => id));
  const cards = await Promise.all(
    approvals.map(async (approval) => {
      const agent = agents.get(approval.agentId);
      if (agent === undefined) return html``;
      const withDiff = drawn.has(approval.id);
      const evidence = await gatherEvidence(core, { caller, approval, withDiff, signal });
      const { title, effect } = textsOf(approval.action);
      return html`<li class="card waits"><h2><a href="/approve/${approval.id}">${title}</a></h2>
<p>${effect}</p>
${approvalFacts(approval, { ...evidence, agent, level: 3 })}
${decisionForms(session, approval, { about: title })}</li>`;
    }),
  );
  return approvals.length === 0 ? html`` : html`<ul class="cards">${cards}</ul>`;
}
