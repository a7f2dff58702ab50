// The parts of an agent's page: composer, schedules, workflows, write grants, deletion.

import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { MAX_AGENT_NAME_CHARS } from "../../../../../contract/agents/agent.ts";
import { type AccountPerson, shownName } from "../../../../core/accounts/person.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import type { ScheduleRecord } from "../../../../core/schedules/schedule-machine.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import type { WorkflowRecord } from "../../../../core/workflows/workflow.ts";
import { EVERY_SERVER, type WriteGrant } from "../../../../core/write-grants/write-grant.ts";
import { maySend, whoMay } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";
import { textBlock } from "../approve/approval-card.ts";
import type { CommitObstacles } from "./commit-obstacles.ts";

export const MAX_MESSAGE_CHARS = 20_000;
const SESSIONS_SHOWN = 10;

/** `key` makes one run of a form that is sent twice. */
export function composer(
  { id }: Pick<Agent, "id">,
  {
    runs,
    obstacles,
    key,
  }: {
    readonly runs: readonly RunRecord[];
    readonly obstacles: CommitObstacles;
    readonly key: string;
  },
): Html {
  const open = runs.filter(({ sessionId }) => !obstacles.sessionIds.has(sessionId));
  const sessions = Map.groupBy(open, ({ sessionId }) => sessionId);
  const why = obstacles.text === null ? "" : html`<p class="note warn">${obstacles.text}</p>`;
  if (obstacles.text !== null && sessions.size === 0) return html`${why}`;
  return html`${why}<form method="post" action="/agent/${id}/runs">
  <input type="hidden" name="key" value="${key}">
  <label for="message">What should the agent do?</label>
  <textarea id="message" name="message" maxlength="${MAX_MESSAGE_CHARS}" required></textarea>
  <label for="session">Session</label>
  <select id="session" name="session">${obstacles.text === null ? html`<option value="">a new one</option>` : ""}${[
    ...sessions,
  ]
    .slice(0, SESSIONS_SHOWN)
    .map(
      ([sessionId, [last]]) =>
        html`<option value="${sessionId}">that of ${timeText(last?.submittedAt ?? 0)}</option>`,
    )}</select>
  <div class="actions"><button class="main">Run</button></div>
</form>`;
}

export function scheduleSection(
  session: WebSession,
  shown: {
    readonly agentId: string;
    readonly schedules: readonly ScheduleRecord[];
    readonly members: readonly AccountPerson[];
  },
): Html {
  const { agentId, schedules, members } = shown;
  if (schedules.length === 0) return html`<p class="faint">Nothing is scheduled.</p>`;
  const mayCancel = maySend(session, "/agent/:agentId/schedules/cancel");
  return html`<ul class="cards">${schedules.map(({ id, status, prompt, fireAt, lastError, madeBy }) => {
    const maker = madeBy === null ? null : (members.find(({ personId }) => personId === madeBy) ?? "left");
    const isOpen = status === "pending" || status === "awaiting_confirmation";
    return html`<li class="card"><div class="row"><span>${timeText(fireAt)}</span><span class="faint">${status.replaceAll("_", " ")}</span></div>
<p>${prompt.slice(0, 300)}${prompt.length > 300 ? "…" : ""}</p>
${maker === null ? "" : html`<p class="faint">made by ${maker === "left" ? "somebody who has left" : shownName(maker)}</p>`}
${lastError === null ? "" : html`<p class="error">${lastError}</p>`}
<div class="actions">${status === "awaiting_confirmation" ? html`<a class="button main" href="/approve/${id}">Confirm or cancel</a>` : ""}
${isOpen && status === "pending" && mayCancel ? html`<form method="post" action="/agent/${agentId}/schedules/cancel"><input type="hidden" name="id" value="${id}"><button class="danger" aria-label="Cancel the schedule of ${new Date(fireAt).toISOString()}">Cancel</button></form>` : ""}</div></li>`;
  })}</ul>`;
}

export type ShownWorkflow = WorkflowRecord & {
  /** The newest version's. Null where the card is not open. */
  readonly prompt: string | null;
};

type ShownWorkflows = {
  readonly agentId: string;
  readonly workflows: readonly ShownWorkflow[];
  readonly obstacles: CommitObstacles;
};

export function workflowSection(
  session: WebSession,
  { agentId, workflows, obstacles }: ShownWorkflows,
): Html {
  if (workflows.length === 0) return html`<p class="faint">There is no workflow.</p>`;
  return html`<ul class="cards">${workflows.map((workflow) => workflowCard(session, workflow, { agentId, obstacles }))}</ul>`;
}

function workflowCard(
  session: WebSession,
  { id, name, version, activeVersion, prompt }: ShownWorkflow,
  { agentId, obstacles: { text: obstacle } }: Omit<ShownWorkflows, "workflows">,
): Html {
  const mayRun = maySend(session, "/agent/:agentId/workflows/run");
  const mayActivate = maySend(session, "/agent/:agentId/workflows/activate");
  const state =
    activeVersion === null
      ? html`<span class="warn">not active</span>`
      : html`<span class="good">version ${activeVersion} is active</span>`;
  const head = html`<div class="row"><strong>${name}</strong> ${state}<span class="faint end">newest: ${version}</span></div>`;
  if (prompt === null)
    return html`<li class="card">${head}<p><a href="/agent/${agentId}?workflow=${id}#workflow" aria-label="Open workflow ${name}">Open</a></p></li>`;
  const form = (action: string, button: Html) =>
    html`<form method="post" action="/agent/${agentId}/workflows/${action}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="version" value="${version}">${button}</form>`;
  return html`<li class="card" id="workflow">${head}
<h3>What version ${version} tells the agent</h3>
${textBlock(prompt)}
<div class="actions">${activeVersion === version || !mayActivate ? "" : form("activate", html`<button class="main">Activate version ${version}</button>`)}
${obstacle === null && mayRun ? form("run", html`<button>Run version ${version} once</button>`) : ""}</div>
${mayActivate ? "" : html`<p class="faint">${whoMay(session, "/agent/:agentId/workflows/activate", "activate workflows")}</p>`}</li>`;
}

/** The same for who may not change them. */
export function grantList(grants: readonly WriteGrant[]): Html {
  if (grants.length === 0) return html`<p class="faint">Its runs write by no MCP server.</p>`;
  return html`<ul class="cards">${grants.map(
    ({ server, grantedAt }) =>
      html`<li class="card row"><code>${nameOf(server)}</code><span class="faint">since ${timeText(grantedAt)}</span></li>`,
  )}</ul>`;
}

export function grantSection(agentId: string, grants: readonly WriteGrant[]): Html {
  return html`${
    grants.length === 0
      ? html`<p class="faint">Its runs write by no MCP server.</p>`
      : html`<ul class="cards">${grants.map(
          ({
            server,
            grantedAt,
          }) => html`<li class="card row"><code>${nameOf(server)}</code><span class="faint">since ${timeText(grantedAt)}</span>
<form class="end" method="post" action="/agent/${agentId}/grants"><input type="hidden" name="change" value="revoke"><input type="hidden" name="server" value="${server}"><button class="danger" aria-label="Revoke the grant for ${nameOf(server)}">Revoke</button></form></li>`,
        )}</ul>`
  }
<form method="post" action="/agent/${agentId}/grants"><input type="hidden" name="change" value="grant">
  <label for="server">MCP server</label>
  <input id="server" name="server" maxlength="32" autocomplete="off" required aria-describedby="server-hint">
  <p class="hint" id="server-hint">The name that the run's servers have. <code>*</code> stands for every server.</p>
  <div class="actions"><button>Let its runs write</button></div>
</form>`;
}

/** Its name is typed, so that nobody deletes by a slip of the hand. */
export function deletionSection({ id, name }: Pick<Agent, "id" | "name">): Html {
  return html`<details><summary>Delete the agent</summary>
<p>Its runs in flight end, its schedules are cancelled, and what it has stored goes for good. The records of its runs stay, and so do workspaces.</p>
<form method="post" action="/agent/${id}/delete">
  <label for="name">Type <code>${typedName(name)}</code> to confirm</label>
  <input id="name" name="name" maxlength="${MAX_AGENT_NAME_CHARS}" autocomplete="off" required>
  <div class="actions"><button class="danger">Delete for good</button></div>
</form></details>`;
}

/** An agent's name as it is shown, and typed into a field of one line. */
export function typedName(name: string): string {
  return singleLine(name, MAX_AGENT_NAME_CHARS);
}

function nameOf(server: string): string {
  return server === EVERY_SERVER ? "every server" : server;
}
