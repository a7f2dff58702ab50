// Things that wait for a person of an account, as its pages show them: approvals as cards, questions with forms for the answers.

import { html } from "hono/html";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { ApprovalRecord } from "../../../../core/approvals/approval.ts";
import type { Core } from "../../../../core/core.ts";
import { listQuestions } from "../../../../core/questions/list-questions.ts";
import { maySend, whoMay } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";
import { findBlockedSessions } from "../agent/commit-obstacles.ts";
import { questionCards } from "../agent/question-card.ts";
import { textsOf } from "./approval-card.ts";

/** As many of each kind as a page shows. */
export const MAX_WAITING = 20;

/** `agents` has those whose names are shown. */
export function approvalCards(
  approvals: readonly ApprovalRecord[],
  agents: ReadonlyMap<string, Pick<Agent, "name">>,
): Html {
  if (approvals.length === 0) return html``;
  return html`<ul class="cards">${approvals.map(
    ({ id, action, agentId, createdAt, expiresAt }) =>
      html`<li class="card waits"><p class="row"><a href="/approve/${id}">${textsOf(action).title}</a><span class="faint end">until ${timeText(expiresAt)}</span></p>
<p class="faint">${agents.get(agentId)?.name ?? "An agent"}, asked ${timeText(createdAt)}</p></li>`,
  )}</ul>`;
}

/** Null where no run asks. */
export async function questionSection(
  core: Core,
  { caller, agentId }: { readonly caller: AccountCaller; readonly agentId: string | null },
): Promise<Html | null> {
  const { questions } = await listQuestions(core, { caller, agentId, before: null, limit: MAX_WAITING });
  if (questions.length === 0) return null;
  const runs = questions.map(({ run }) => run);
  const found = await Promise.all(
    [...new Set(runs.map((run) => run.agentId))].map((id) => core.store.committed.agents.find(id)),
  );
  const agents = found.filter((agent) => agent !== null);
  const blocked = await findBlockedSessions(core, { agents, runs });
  const form = "/agent/:agentId/questions/:runId";
  const refusal = maySend(caller, form) ? null : whoMay(caller, form, "answer questions");
  return html`<h2>Questions</h2>${questionCards(questions, { obstacleOf: ({ sessionId }) => blocked.get(sessionId) ?? null, refusal })}`;
}
