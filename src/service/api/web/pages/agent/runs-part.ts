// An agent's runs: what waits for a person, a new run, the last ones.

import { html } from "hono/html";
import { listApprovals } from "../../../../core/approvals/read-approvals.ts";
import type { Core } from "../../../../core/core.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { formFor } from "../../page-roles.ts";
import type { Html } from "../../web-context.ts";
import { approvalCards, MAX_WAITING, questionSection } from "../approve/waiting.ts";
import type { ShownAgent } from "./agent-part.ts";
import { composer } from "./agent-sections.ts";
import { findCommitObstacles } from "./commit-obstacles.ts";
import { runList } from "./run-list.ts";

const RUNS_SHOWN = 20;

export async function runsPart(core: Core, { agent, session }: ShownAgent): Promise<Html> {
  const { id } = agent;
  const caller = personIn(session);
  const [runs, { approvals }, questions] = await Promise.all([
    core.store.committed.runs.list({ agentId: id, sessionId: null, before: null, limit: RUNS_SHOWN }),
    listApprovals(core, { caller, agentId: id, before: null, limit: MAX_WAITING, status: "pending" }),
    questionSection(core, { caller, agentId: id }),
  ]);
  const sessionIds = runs.map(({ sessionId }) => sessionId);
  const obstacles = await findCommitObstacles(core, { agent, sessionIds });
  const key = core.random.uuid(core.clock.now());
  return html`${approvals.length === 0 ? "" : html`<h2>Waits for you</h2>${approvalCards(approvals, new Map([[id, agent]]))}`}
${questions ?? ""}
${agent.retiredAt === null ? html`<h2>New run</h2>${formFor(session, { path: "/agent/:agentId/runs", what: "start runs", form: () => composer(agent, { runs, obstacles, key }) })}` : ""}
<h2>Last runs</h2>
${
  runs.length === 0
    ? html`<div class="empty"><p><strong>There is no run yet.</strong> Ask for one above, or let a job of CI ask: the next lines stand here.</p></div>`
    : html`${runList(runs, { agents: [], now: core.clock.now() })}
<p><a href="/runs?agent=${id}">All runs of this agent</a></p>`
}`;
}
