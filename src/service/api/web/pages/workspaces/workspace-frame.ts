// The frame of a workspace's pages: its owner, its name and the way to its other pages.

import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { Actor } from "../../../../core/workspaces/actor.ts";
import { reachWorkspace } from "../../../../core/workspaces/reach-workspace.ts";
import type { Workspace } from "../../../../core/workspaces/workspace.ts";
import { notFoundPage, page } from "../../page.ts";
import type { Html, WebContext } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";

const MAX_NAME_CHARS = 200;

const tabs = { files: "Files", changesets: "Changesets", history: "History" } as const;
type WorkspaceTab = keyof typeof tabs;

/** A workspace as its owner opens it. */
export type OpenWorkspace = {
  readonly session: WebSession;
  readonly caller: AccountCaller;
  readonly workspace: Workspace;
};

type WorkspaceHandler = (context: WebContext, opened: OpenWorkspace) => Promise<Response> | Response;

/** For its owner; for everybody else there is nothing here. */
export function ofWorkspace(answer: WorkspaceHandler): (context: WebContext) => Promise<Response> {
  return async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const opened = await openWorkspace(context, session);
    return opened === null ? await notFoundPage(context, session) : await answer(context, opened);
  };
}

export async function openWorkspace(context: WebContext, session: WebSession): Promise<OpenWorkspace | null> {
  const { core } = context.get("parts");
  if (core.workspaces === null) return null;
  const caller = personIn(session);
  const workspaceId = context.req.param("workspaceId") ?? "";
  const reached = await reachWorkspace(core, { caller, workspaceId });
  return reached.ok ? { session, caller, workspace: reached.value } : null;
}

type WorkspaceShown = {
  /** Null: a page of none of them. */
  readonly tab: WorkspaceTab | null;
  /** Its subject, beside the workspace. */
  readonly title: string | null;
  readonly body: Html;
  /** The obstacle of the form that was sent. */
  readonly alert?: string | null;
};

export async function workspaceFrame(
  context: WebContext,
  { workspace, session }: OpenWorkspace,
  { tab, title, body, alert = null }: WorkspaceShown,
): Promise<Response> {
  const name = nameOf(workspace);
  const base = workspacePath(workspace.id);
  const paths: Readonly<Record<WorkspaceTab, string>> = {
    files: base,
    changesets: `${base}/changesets`,
    history: `${base}/history`,
  };
  const whole = html`<p class="crumbs"><a href="/workspaces">Workspaces</a> / ${tab === "files" && title === null ? html`<span>${name}</span>` : html`<a href="${base}">${name}</a>`}</p>
<nav aria-label="Workspace"><ul class="tabs">
${(Object.keys(tabs) as WorkspaceTab[]).map(
  (one) =>
    html`<li><a href="${paths[one]}"${one === tab ? html` aria-current="page"` : ""}>${tabs[one]}</a></li>`,
)}
</ul></nav>
<h1>${title ?? name}</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${body}`;
  return await page(context, {
    session,
    body: whole,
    status: alert === null ? 200 : 409,
    title: title === null ? name : `${title} · ${name}`,
  });
}

export function workspacePath(workspaceId: string): string {
  return `/workspace/${workspaceId}`;
}

export function nameOf({ name }: Pick<Workspace, "name">): string {
  return singleLine(name, MAX_NAME_CHARS) || "workspace";
}

/** A run of an agent is a link to its page. */
export function actorText(actor: Actor): Html {
  switch (actor.type) {
    case "owner":
      return html`you`;
    case "ai_client":
      return html`an AI client${actor.name === null ? "" : html` (${singleLine(actor.name, MAX_NAME_CHARS)})`}`;
    case "run":
      return html`<a href="/agent/${actor.agent_id}/runs/${actor.run_id}">a run</a>`;
    case "service":
      return html`the service`;
  }
}

/** The end of an id, which tells it apart from others of the same hour. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** The first line of a message, or what stands for one that is empty. */
export function messageLine(message: string, otherwise: string): string {
  return singleLine(message.trimStart().split("\n", 1)[0] ?? "", MAX_NAME_CHARS) || otherwise;
}

/** A link to the next page of a list; nothing at the end. */
export function moreLink(context: WebContext, nextCursor: string | null): Html {
  if (nextCursor === null) return html``;
  const url = new URL(context.req.url);
  url.searchParams.set("cursor", nextCursor);
  return html`<p><a href="${url.pathname}${url.search}">More</a></p>`;
}
