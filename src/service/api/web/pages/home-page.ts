// /: an account's agents, approvals that wait for its owner, its last runs and its credits.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { createAgentRequestSchema, MAX_AGENT_NAME_CHARS } from "../../../../contract/agents/agent.ts";
import type { AccountCaller } from "../../../core/accounts/caller.ts";
import { readCredits } from "../../../core/accounts/read-credits.ts";
import type { Agent } from "../../../core/agents/agent.ts";
import { createAgent } from "../../../core/agents/create-agent.ts";
import { listAgents } from "../../../core/agents/manage-agent.ts";
import { listApprovals } from "../../../core/approvals/read-approvals.ts";
import type { Core } from "../../../core/core.ts";
import { listAccountRuns } from "../../../core/runs/list-runs.ts";
import type { RunRecord } from "../../../core/runs/run-record.ts";
import type { WebSession } from "../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../core/web-sessions/web-sessions.ts";
import { listWorkspaces } from "../../../core/workspaces/read-workspaces.ts";
import { toProblem } from "../../shared/problems/to-problem.ts";
import { readForm } from "../form.ts";
import { page } from "../page.ts";
import { formFor } from "../page-roles.ts";
import { timeText } from "../time-text.ts";
import type { Html, WebContext, WebEnv } from "../web-context.ts";
import { needSession } from "../web-session.ts";
import { answerList, isMoving, runList } from "./agent/run-list.ts";
import { approvalCards, MAX_WAITING, questionSection } from "./approve/waiting.ts";
import { workspaceTable } from "./workspaces/workspaces-page.ts";

const LAST_RUNS = 10;
const WORKSPACES_SHOWN = 5;

const newAgentForm = z.pick(createAgentRequestSchema, { name: true });

export function homeRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    return context.req.query("part") === "list"
      ? await lastRuns(context, session)
      : await homePage(context, session);
  });

  routes.post("/", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const form = await readForm(context, newAgentForm);
    if (!form.ok) return await homePage(context, session, form.refusal);
    const creation = { caller: personIn(session), idempotencyKey: null };
    const body = { name: form.value.name, if_exists: "return" } as const;
    const created = await createAgent(context.get("parts").core, { ...creation, body });
    if (!created.ok) return await homePage(context, session, toProblem(created.refusal).message);
    return context.redirect(`/agent/${created.value.agent.id}`, 303);
  });

  return routes;
}

async function homePage(
  context: WebContext,
  session: WebSession,
  alert: string | null = null,
): Promise<Response> {
  const { core } = context.get("parts");
  const caller = personIn(session);
  const waiting = { caller, agentId: null, before: null, limit: MAX_WAITING, status: "pending" } as const;
  const [agents, { approvals }, questions, credits] = await Promise.all([
    listAgents(core, { caller, withIndependent: true }),
    listApprovals(core, waiting),
    questionSection(core, { caller, agentId: null }),
    readCredits(core, { caller, userId: session.accountId }),
  ]);
  if (!agents.ok || !credits.ok) throw new Error("A session's own account was refused.");
  const runs = await findLastRuns(core, agents.value);
  const byId = new Map(agents.value.map((agent) => [agent.id, agent]));
  const body = html`<div class="row"><h1>Runs</h1><span class="end">Balance: <a href="/settings/credits">${credits.value.balance.toLocaleString("en-US")} credits</a></span></div>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${approvals.length === 0 ? "" : html`<h2>Waits for you</h2>${approvalCards(approvals, byId)}`}
${questions ?? ""}
${
  runs.length === 0
    ? firstRun(core.policy.webUrl)
    : html`<h2>Last runs</h2>${listOf(core, { runs, agents: agents.value })}
<p><a href="/runs">All runs, by state, agent and origin</a></p>`
}
<h2>Agents</h2>
${agents.value.length === 0 ? "" : agentTable(agents.value)}
${formFor(session, { path: "/", what: "make agents", form: () => newAgent })}
${core.workspaces === null ? "" : html`<h2>Workspaces</h2>${await lastWorkspaces(core, caller)}`}`;
  return await page(context, {
    title: "Runs",
    body,
    session,
    status: alert === null ? 200 : 422,
    scripts: isMoving(runs) ? ["list"] : [],
  });
}

/** The list of the last runs alone, for the page's script. */
async function lastRuns(context: WebContext, session: WebSession): Promise<Response> {
  const { core } = context.get("parts");
  const listed = await listAgents(core, { caller: personIn(session), withIndependent: true });
  const agents = listed.ok ? listed.value : [];
  return answerList(context, listOf(core, { runs: await findLastRuns(core, agents), agents }));
}

async function findLastRuns(core: Core, agents: readonly Agent[]): Promise<readonly RunRecord[]> {
  const filter = { state: null, origin: null, startedBy: null };
  return (await listAccountRuns(core, { agents, filter, before: null, limit: LAST_RUNS })).runs;
}

function listOf(
  core: Core,
  { runs, agents }: { readonly runs: readonly RunRecord[]; readonly agents: readonly Agent[] },
): Html {
  return runList(runs, { agents, now: core.clock.now(), liveAt: "/?part=list" });
}

/** The newest ones. */
async function lastWorkspaces(core: Core, caller: AccountCaller): Promise<Html> {
  const listed = await listWorkspaces(core, { caller, query: { limit: WORKSPACES_SHOWN } });
  const items = listed.ok ? listed.value.items : [];
  return html`${items.length === 0 ? html`<p class="faint">There is no workspace yet.</p>` : workspaceTable(items)}
<p><a href="/workspaces">All workspaces, and a new one</a></p>`;
}

function agentTable(agents: readonly Agent[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Agents"><table>
<thead><tr><th scope="col">Agent</th><th scope="col">Repository</th><th scope="col">Made</th></tr></thead>
<tbody>${agents.map(
    ({ id, name, repository, createdAt, retiredAt }) => html`<tr>
<td><a href="/agent/${id}">${name}</a>${retiredAt === null ? "" : html` <span class="faint">retired</span>`}</td>
<td>${repository === null ? html`<span class="faint">none</span>` : repository.name}</td>
<td>${timeText(createdAt)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** What a new account does first. */
function firstRun(webUrl: string): Html {
  return html`<div class="empty">
<p><strong>There is no run yet.</strong> A repository's agent is made by the first job that uses it. Add this as <code>.github/workflows/agent.yml</code>
of a repository on GitHub, and write <code>/agent fix the failing test</code> under one of its pull requests:</p>
<pre tabindex="0">${firstWorkflow(webUrl)}</pre>
<p>The job's log prints the address of the run's page, and, once the free credits are used, a link by which the agent becomes this account's.
Then its runs stand here: what was asked, by whom, how it ended, what it cost.</p></div>`;
}

const firstWorkflow = (webUrl: string) => `on:
  issue_comment:
    types: [created]
permissions: {}
jobs:
  agent:
    runs-on: ubuntu-latest
    if: contains(github.event.comment.body, '/agent')
    permissions:
      contents: write # it pushes to the pull request
      id-token: write # the job proves itself: no secret is stored
      issues: write
      pull-requests: write
    steps:
      - uses: <owner>/agent-service@<commit>
        with:
          base-url: ${webUrl}
          changes: commit
`;

const newAgent = html`<form method="post" action="/">
<label for="name">New agent</label>
<input id="name" name="name" required maxlength="${MAX_AGENT_NAME_CHARS}" autocomplete="off" placeholder="reviewer">
<p class="hint">One without a repository. Programs make agents with <a href="/docs"><code>POST /v1/agents</code></a>.</p>
<div class="actions"><button>Make agent</button></div>
</form>`;
