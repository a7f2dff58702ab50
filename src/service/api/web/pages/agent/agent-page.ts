// /agent/{id}: the page of an agent for its owner. Every form posts, and leads back here or to the run that it made.

import { Hono } from "hono";
import { html } from "hono/html";
import type { Agent } from "../../../../core/agents/agent.ts";
import { findAgent } from "../../../../core/agents/manage-agent.ts";
import { listApprovals } from "../../../../core/approvals/read-approvals.ts";
import type { Core } from "../../../../core/core.ts";
import { listQuestions } from "../../../../core/questions/list-questions.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { notFoundPage, page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { textsOf } from "../approve/approval-card.ts";
import { nameOf, workspacePath } from "../workspaces/workspace-frame.ts";
import { accessSection } from "./access-section.ts";
import { addAgentForms } from "./agent-forms.ts";
import {
  composer,
  deletionSection,
  grantSection,
  type ShownWorkflow,
  scheduleSection,
  workflowSection,
} from "./agent-sections.ts";
import { findCommitObstacles } from "./commit-obstacles.ts";
import { policySection } from "./policy-form.ts";
import { questionCards } from "./question-card.ts";
import { runTable } from "./run-table.ts";

const RUNS_SHOWN = 20;
const SCHEDULES_SHOWN = 20;
const MAX_WAITING = 20;
const MICRO_PER_USD = 1_000_000;

export function agentRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/agent/:agentId", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await agentPage(context, session, { alert: null });
  });
  addAgentForms(routes, agentPage);
  return routes;
}

/** `alert` is what hindered the form that was sent. */
async function agentPage(
  context: WebContext,
  session: WebSession,
  { alert }: { readonly alert: string | null },
): Promise<Response> {
  const { core } = context.get("parts");
  const agentId = context.req.param("agentId") ?? "";
  const found = await findAgent(core, { caller: personIn(session), agentId });
  if (!found.ok) return await notFoundPage(context, session);
  const agent = found.value;
  const body = html`<h1>${agent.name}</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${await describe(core, { agent, session, opened: context.req.query("workflow") ?? null })}`;
  return await page(context, { title: agent.name, body, session, status: alert === null ? 200 : 409 });
}

type Shown = {
  readonly agent: Agent;
  readonly session: WebSession;
  /** The workflow whose card is open. */
  readonly opened: string | null;
};

async function describe(core: Core, { agent, session, opened }: Shown): Promise<Html> {
  const { id, repository, retiredAt, ciPolicy, advisorMaxSpendMicroUsd: cap } = agent;
  const { committed } = core.store;
  const waiting = { caller: personIn(session), agentId: id, before: null, limit: MAX_WAITING };
  const [runs, schedules, workflows, grants, { approvals }, { questions }, workspaces, access] =
    await Promise.all([
      committed.runs.list({ agentId: id, sessionId: null, before: null, limit: RUNS_SHOWN }),
      committed.schedules.list(id),
      shownWorkflows(core, { agentId: id, opened }),
      committed.writeGrants.list(id),
      listApprovals(core, { ...waiting, status: "pending" }),
      listQuestions(core, waiting),
      committed.workspaces.listOfAgent(id),
      committed.repositoryAccess.find(id),
    ]);
  const own = workspaces.filter((one) => one.accountId === session.accountId && one.state !== "erasing");
  const isOpen = opened !== null;
  const sessionIds = [...runs, ...questions.map(({ run }) => run)].map(({ sessionId }) => sessionId);
  const obstacles = await findCommitObstacles(core, { agent, sessionIds });
  return html`<p class="faint">${repository === null ? "An agent without a repository" : html`The agent of <strong>${repository.name}</strong>`}${retiredAt === null ? "" : ", retired"} · <code>${id}</code></p>
${own.map((workspace) => html`<p>${workspace.managerAgentId === id ? "Manages" : "Works in"} the workspace <a href="${workspacePath(workspace.id)}">${nameOf(workspace)}</a></p>`)}
${
  approvals.length === 0
    ? ""
    : html`<h2>Waits for you</h2><ul class="cards">${approvals.map(
        (one) => html`<li class="card"><a href="/approve/${one.id}">${textsOf(one.action).title}</a></li>`,
      )}</ul>`
}
${isOpen ? html`<h2>Workflows</h2>${workflowSection(id, workflows, obstacles)}` : ""}
${questions.length === 0 ? "" : html`<h2>Questions</h2>${questionCards(questions, ({ sessionId }) => obstacles.sessionIds.get(sessionId) ?? null)}`}
${retiredAt === null ? html`<h2>New run</h2>${composer(agent, { runs, obstacles, key: core.random.uuid(core.clock.now()) })}` : ""}
<h2>Last runs</h2>
${runs.length === 0 ? html`<p class="faint">There is no run yet.</p>` : runTable(runs, [])}
<h2>Schedules</h2>
${scheduleSection(id, schedules.slice(0, SCHEDULES_SHOWN))}
${isOpen ? "" : html`<h2>Workflows</h2>${workflowSection(id, workflows, obstacles)}`}
<h2>Writing by MCP servers</h2>
${grantSection(id, grants)}
<h2>Advisor</h2>
<form method="post" action="/agent/${id}/advisor">
  <label for="cap">US dollars a turn</label>
  <input id="cap" name="usd" inputmode="decimal" value="${cap === null ? "" : cap / MICRO_PER_USD}" aria-describedby="cap-hint">
  <p class="hint" id="cap-hint">What asking the stronger model may cost. 0 stops it. Empty: no cap.</p>
  <div class="actions"><button>Save the cap</button></div>
</form>
${repository === null ? "" : html`<h2>Reading the repository</h2>${accessSection(core, { agent, access })}`}
${repository === null ? "" : html`<h2>CI jobs that may run it</h2>${policySection(id, ciPolicy)}`}
${own.some(({ managerAgentId }) => managerAgentId === id) ? "" : deletionSection(agent)}`;
}

async function shownWorkflows(
  { store }: Core,
  { agentId, opened }: { agentId: string; opened: string | null },
): Promise<readonly ShownWorkflow[]> {
  const { workflows } = store.committed;
  return await Promise.all(
    (await workflows.list(agentId)).map(async (workflow) => {
      const { id, version } = workflow;
      return { ...workflow, prompt: id === opened ? await workflows.findPrompt({ id, version }) : null };
    }),
  );
}
