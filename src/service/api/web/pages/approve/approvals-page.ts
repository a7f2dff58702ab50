// /approvals: everything that waits for a person of the account, with what one has to know to decide, and what was decided.

import { Hono } from "hono";
import { html } from "hono/html";
import type { Agent } from "../../../../core/agents/agent.ts";
import { type ApprovalRecord, statusAt } from "../../../../core/approvals/approval.ts";
import { listApprovals } from "../../../../core/approvals/read-approvals.ts";
import type { Core } from "../../../../core/core.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { page } from "../../page.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { stateTexts, textsOf } from "./approval-card.ts";
import { pendingCards } from "./pending-cards.ts";
import { questionSection } from "./waiting.ts";

const MAX_LISTED = 50;

export function approvalsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/approvals", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await approvalsPage(context, session);
  });
  return routes;
}

async function approvalsPage(context: WebContext, session: WebSession): Promise<Response> {
  const { core } = context.get("parts");
  const listing = { caller: personIn(session), agentId: null, before: null, limit: MAX_LISTED };
  const [pending, all, questions] = await Promise.all([
    listApprovals(core, { ...listing, status: "pending" }),
    listApprovals(core, { ...listing, status: null }),
    questionSection(core, { caller: listing.caller, agentId: null }),
  ]);
  const decided = all.approvals.filter((one) => statusAt(one, core.clock.now()) !== "pending");
  const agents = await agentsOf(core, [...pending.approvals, ...decided]);
  const body = html`<h1>Approvals</h1>
${
  pending.approvals.length === 0 && questions === null
    ? html`<div class="empty"><p><strong>Nothing waits for you.</strong> Here stands what an agent or an AI client may not do by itself: a schedule that it
made, a workflow that it wants to run, a tool that writes, changes of a workspace. And the questions of runs.</p></div>`
    : html`${await pendingCards(context, session, { approvals: pending.approvals, agents })}${questions ?? ""}`
}
${decided.length === 0 ? "" : html`<h2>Decided</h2>${decidedTable(decided, { agents, now: core.clock.now() })}`}`;
  return await page(context, { title: "Approvals", body, session });
}

type Agents = ReadonlyMap<string, Pick<Agent, "id" | "name">>;

/** Those of them that are there still. */
async function agentsOf(core: Core, approvals: readonly ApprovalRecord[]): Promise<Agents> {
  const ids = [...new Set(approvals.map(({ agentId }) => agentId))];
  const found = await Promise.all(ids.map((id) => core.store.committed.agents.find(id)));
  return new Map(found.flatMap((agent) => (agent === null ? [] : [[agent.id, agent] as const])));
}

function decidedTable(
  approvals: readonly ApprovalRecord[],
  { agents, now }: { readonly agents: Agents; readonly now: number },
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Decided"><table>
<thead><tr><th scope="col">What</th><th scope="col">Agent</th><th scope="col">Outcome</th><th scope="col">When</th></tr></thead>
<tbody>${approvals.map((approval) => {
    const { id, action, agentId, decidedAt, decidedBy, expiresAt } = approval;
    const by = decidedBy === "ai_client" ? " by an AI client" : "";
    const title = textsOf(action).title.replace(/\?$/, "");
    const agent = agents.get(agentId);
    return html`<tr><td>${agent === undefined ? title : html`<a href="/approve/${id}">${title}</a>`}</td>
<td>${agent?.name ?? html`<span class="faint">deleted</span>`}</td><td>${stateTexts[statusAt(approval, now)]}${by}</td><td>${timeText(decidedAt ?? expiresAt)}</td></tr>`;
  })}</tbody></table></div>`;
}
