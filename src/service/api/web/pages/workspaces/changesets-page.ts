// The changesets of a workspace, and their states.

import { Hono } from "hono";
import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import {
  type ChangesetStatus,
  changesetStatuses,
} from "../../../../../contract/workspaces/changesets/changeset.ts";
import { plural } from "../../../../../render/quantities.ts";
import type { Changeset } from "../../../../core/workspaces/changesets/changeset.ts";
import { listChangesets } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { notFoundPage } from "../../page.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import {
  actorText,
  moreLink,
  type OpenWorkspace,
  ofWorkspace,
  workspaceFrame,
  workspacePath,
} from "./workspace-frame.ts";

const CHANGESETS_SHOWN = 30;
const MAX_TITLE_CHARS = 200;

export function changesetsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/workspace/:workspaceId/changesets", ofWorkspace(changesetsPage));
  return routes;
}

async function changesetsPage(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const { caller, workspace } = opened;
  const asked = context.req.query("status");
  const status = changesetStatuses.find((one) => one === asked) ?? null;
  const listed = await listChangesets(context.get("parts").core, {
    caller,
    workspaceId: workspace.id,
    status,
    query: { cursor: context.req.query("cursor"), limit: CHANGESETS_SHOWN },
  });
  if (!listed.ok) return await notFoundPage(context, opened.session);
  const { items, nextCursor } = listed.value;
  const path = `${workspacePath(workspace.id)}/changesets`;
  const filters: readonly (readonly [string, ChangesetStatus | null])[] = [
    ["all", null],
    ...changesetStatuses.map((one) => [one, one] as const),
  ];
  const body = html`<p class="row">${filters.map(
    ([name, one]) =>
      html`<a href="${path}${one === null ? "" : `?status=${one}`}"${one === status ? html` aria-current="page"` : ""}>${name}</a>`,
  )}</p>
${changesetTable(workspace.id, items)}
${moreLink(context, nextCursor)}`;
  return await workspaceFrame(context, opened, { tab: "changesets", title: "Changesets", body });
}

export function changesetTable(workspaceId: string, changesets: readonly Changeset[]): Html {
  if (changesets.length === 0) return html`<p class="faint">There is no changeset.</p>`;
  const base = `${workspacePath(workspaceId)}/changesets`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Changesets"><table>
<thead><tr><th scope="col">Changeset</th><th scope="col">State</th><th scope="col">Changes</th><th scope="col">By</th><th scope="col">Made</th></tr></thead>
<tbody>${changesets.map(
    (changeset) => html`<tr><td><a href="${base}/${changeset.id}">${titleOf(changeset)}</a></td>
<td>${statusText(changeset.status)}</td><td>${changesText(changeset)}</td>
<td>${actorText(changeset.createdBy)}</td><td>${timeText(changeset.createdAt)}</td></tr>`,
  )}</tbody></table></div>`;
}

export function titleOf({ title }: Pick<Changeset, "title">): string {
  return singleLine(title, MAX_TITLE_CHARS) || "Changeset";
}

export function statusText(status: ChangesetStatus): Html {
  switch (status) {
    case "open":
      return html`<span class="warn">open</span>`;
    case "conflicted":
      return html`<span class="bad">conflicted</span>`;
    case "accepted":
      return html`<span class="good">accepted</span>`;
    case "rejected":
      return html`<span class="faint">rejected</span>`;
  }
}

export function changesText({ files, additions, deletions }: Changeset): Html {
  if (additions === null || deletions === null) return html`${plural(files, "file")}`;
  return html`${plural(files, "file")} <span class="added">+${additions.toLocaleString("en-US")}</span> <span class="removed">−${deletions.toLocaleString("en-US")}</span>`;
}
