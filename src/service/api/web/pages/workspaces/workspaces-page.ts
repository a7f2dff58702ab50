// /workspaces: an account's workspaces, and a form that makes one.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { MAX_WORKSPACE_NAME_CHARS } from "../../../../../contract/workspaces/workspace/workspace.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import { listAgents } from "../../../../core/agents/manage-agent.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { createWorkspace } from "../../../../core/workspaces/administration/create-workspace.ts";
import { listWorkspaces } from "../../../../core/workspaces/read-workspaces.ts";
import type { Workspace } from "../../../../core/workspaces/workspace.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import { notFoundPage, page } from "../../page.ts";
import { formFor } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { moreLink, nameOf, workspacePath } from "./workspace-frame.ts";

const WORKSPACES_SHOWN = 50;

const newWorkspaceForm = z.object({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_WORKSPACE_NAME_CHARS)),
  /** Empty: a new agent. */
  manager: z.union([z.literal(""), z.uuid()]),
  key: z.string().check(z.minLength(1), z.maxLength(100)),
});

export function workspacesRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/workspaces", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await workspacesPage(context, session, null);
  });

  routes.post("/workspaces", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    if (core.workspaces === null) return await notFoundPage(context, session);
    const form = await readForm(context, newWorkspaceForm);
    if (!form.ok) return await workspacesPage(context, session, form.refusal);
    const { name, manager, key } = form.value;
    const created = await createWorkspace(core, {
      caller: personIn(session),
      idempotencyKey: `web:${key}`,
      body: { name, ...(manager === "" ? {} : { default_manager_agent_id: manager }) },
    });
    if (!created.ok) return await workspacesPage(context, session, toProblem(created.refusal).message);
    return context.redirect(workspacePath(created.value.id), 303);
  });

  return routes;
}

async function workspacesPage(
  context: WebContext,
  session: WebSession,
  alert: string | null,
): Promise<Response> {
  const { core } = context.get("parts");
  if (core.workspaces === null) return await notFoundPage(context, session);
  const caller = personIn(session);
  const cursor = context.req.query("cursor");
  const [listed, agents] = await Promise.all([
    listWorkspaces(core, { caller, query: { cursor, limit: WORKSPACES_SHOWN } }),
    listAgents(core, { caller, withIndependent: true }),
  ]);
  if (!listed.ok) return await notFoundPage(context, session);
  const { items, nextCursor } = listed.value;
  const body = html`<h1>Workspaces</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
<p>A workspace is one body of files on which several agents and people work: in copies of it, which become part of it once you accept
what changed.</p>
${items.length === 0 ? html`<p class="faint">There is no workspace yet.</p>` : workspaceTable(items)}
${moreLink(context, nextCursor)}
<h2>New workspace</h2>
${formFor(session, { path: "/workspaces", what: "make workspaces", form: () => newWorkspace(agents.ok ? agents.value : [], core.random.uuid(core.clock.now())) })}`;
  return await page(context, { title: "Workspaces", body, session, status: alert === null ? 200 : 422 });
}

export function workspaceTable(workspaces: readonly Workspace[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Workspaces"><table>
<thead><tr><th scope="col">Workspace</th><th scope="col">State</th><th scope="col">Made</th></tr></thead>
<tbody>${workspaces.map(
    (workspace) => html`<tr>
<td><a href="${workspacePath(workspace.id)}">${nameOf(workspace)}</a></td>
<td>${workspace.state === "ready" ? "ready" : html`<span class="warn">${workspace.state}</span>`}</td>
<td>${timeText(workspace.createdAt)}</td></tr>`,
  )}</tbody></table></div>`;
}

function newWorkspace(agents: readonly Agent[], key: string): Html {
  const usable = agents.filter(({ retiredAt }) => retiredAt === null);
  return html`<form method="post" action="/workspaces">
<input type="hidden" name="key" value="${key}">
<label for="name">Name</label>
<input id="name" name="name" required maxlength="${MAX_WORKSPACE_NAME_CHARS}" autocomplete="off">
<label for="manager">Manager</label>
<select id="manager" name="manager" aria-describedby="manager-hint"><option value="">a new agent</option>${usable.map(
    ({ id, name }) => html`<option value="${id}">${name}</option>`,
  )}</select>
<p class="hint" id="manager-hint">The agent that hands out the work in it, to others and to itself.</p>
<div class="actions"><button>Make workspace</button></div>
</form>`;
}
