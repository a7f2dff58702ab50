// /agent/{id}: the page of an agent, in three parts: its runs, what starts by itself, its settings. Every form posts, and leads
// back to its part, or to the run that it made.

import { Hono } from "hono";
import { html } from "hono/html";
import type { Agent } from "../../../../core/agents/agent.ts";
import { findAgent } from "../../../../core/agents/manage-agent.ts";
import type { Core } from "../../../../core/core.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { Workspace } from "../../../../core/workspaces/workspace.ts";
import { notFoundPage, page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { nameOf, workspacePath } from "../workspaces/workspace-frame.ts";
import { addAgentForms } from "./agent-forms.ts";
import { type AgentPart, agentParts, type ShownAgent } from "./agent-part.ts";
import { runsPart } from "./runs-part.ts";
import { schedulesPart } from "./schedules-part.ts";
import { settingsPart } from "./settings-part.ts";

const parts: Readonly<Record<AgentPart, (core: Core, shown: ShownAgent) => Promise<Html>>> = {
  runs: runsPart,
  schedules: schedulesPart,
  settings: settingsPart,
};

export function agentRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  for (const part of Object.keys(parts) as AgentPart[])
    routes.get(agentParts[part].path(":agentId"), async (context) => {
      const session = await needSession(context);
      if (session instanceof Response) return session;
      // The link that opens a workflow leads to the agent.
      const shown = context.req.query("workflow") === undefined ? part : "schedules";
      return await agentPage(context, session, { part: shown, alert: null });
    });
  addAgentForms(routes, agentPage);
  return routes;
}

/** `alert` is what hindered the form that was sent. */
async function agentPage(
  context: WebContext,
  session: WebSession,
  { part, alert }: { readonly part: AgentPart; readonly alert: string | null },
): Promise<Response> {
  const { core } = context.get("parts");
  const agentId = context.req.param("agentId") ?? "";
  const found = await findAgent(core, { caller: personIn(session), agentId });
  if (!found.ok) return await notFoundPage(context, session);
  const agent = found.value;
  const workspaces = (await core.store.committed.workspaces.listOfAgent(agent.id)).filter(
    (one) => one.accountId === session.accountId && one.state !== "erasing",
  );
  const openedWorkflow = context.req.query("workflow") ?? null;
  const body = html`${heading(agent, workspaces)}
<nav aria-label="Agent"><ul class="tabs">${Object.entries(agentParts).map(
    ([name, { title, path }]) =>
      html`<li><a href="${path(agent.id)}"${name === part ? html` aria-current="page"` : ""}>${title}</a></li>`,
  )}</ul></nav>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${await parts[part](core, { agent, session, workspaces, openedWorkflow })}`;
  return await page(context, { title: agent.name, body, session, status: alert === null ? 200 : 409 });
}

function heading(agent: Agent, workspaces: readonly Workspace[]): Html {
  const { id, name, repository, retiredAt } = agent;
  return html`<h1>${name}</h1>
<p class="faint">${repository === null ? "An agent without a repository" : html`The agent of <strong>${repository.name}</strong>`}${retiredAt === null ? "" : ", retired"} · <code>${id}</code></p>
${workspaces.map((workspace) => html`<p>${workspace.managerAgentId === id ? "Manages" : "Works in"} the workspace <a href="${workspacePath(workspace.id)}">${nameOf(workspace)}</a></p>`)}`;
}
