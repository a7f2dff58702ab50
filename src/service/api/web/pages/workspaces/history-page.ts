// The revisions of a workspace: what was accepted, and what a revision changed.

import { Hono } from "hono";
import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { plural } from "../../../../../render/quantities.ts";
import { objectSource } from "../../../../core/workspaces/objects/object-source.ts";
import { filesFault } from "../../../../core/workspaces/reach-workspace.ts";
import {
  findRevision,
  listRevisions,
  type SeenRevision,
} from "../../../../core/workspaces/revisions/read-revisions.ts";
import type { Revision } from "../../../../core/workspaces/revisions/revision.ts";
import { diffTrees, type TreeChange } from "../../../../core/workspaces/trees/diff-trees.ts";
import { notFoundPage } from "../../page.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { textBlock } from "../approve/approval-card.ts";
import { addressOf, FILES_CLOSED } from "./file-place.ts";
import {
  actorText,
  messageLine,
  moreLink,
  type OpenWorkspace,
  ofWorkspace,
  workspaceFrame,
  workspacePath,
} from "./workspace-frame.ts";

const REVISIONS_SHOWN = 30;
const CHANGES_SHOWN = 500;
const MAX_PATH_CHARS = 300;
const MAX_MESSAGE_CHARS = 10_000;

export function historyRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/workspace/:workspaceId/history", ofWorkspace(historyPage));
  routes.get("/workspace/:workspaceId/revisions/:revisionId", ofWorkspace(revisionPage));
  return routes;
}

async function historyPage(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const { core } = context.get("parts");
  const { caller, workspace } = opened;
  const isAccepted = context.req.query("all") === undefined ? true : null;
  const listed = await listRevisions(core, {
    caller,
    workspaceId: workspace.id,
    isAccepted,
    query: { cursor: context.req.query("cursor"), limit: REVISIONS_SHOWN },
  });
  if (!listed.ok) return await notFoundPage(context, opened.session);
  const base = workspacePath(workspace.id);
  const other =
    isAccepted === true
      ? html`<a href="${base}/history?all">All revisions</a>, those too that were saved and not accepted.`
      : html`<a href="${base}/history">Accepted revisions alone</a>.`;
  const body = html`<p>${other}</p>
${revisionTable(opened, listed.value.items)}
${moreLink(context, listed.value.nextCursor)}`;
  return await workspaceFrame(context, opened, { tab: "history", title: "History", body });
}

function revisionTable({ workspace }: OpenWorkspace, revisions: readonly SeenRevision[]): Html {
  const base = workspacePath(workspace.id);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Revisions"><table>
<thead><tr><th scope="col">Revision</th><th scope="col">State</th><th scope="col">By</th><th scope="col">Made</th></tr></thead>
<tbody>${revisions.map(
    ({ revision, isPinned }) => html`<tr>
<td><a href="${base}/revisions/${revision.id}">${messageLine(revision.message, "no message")}</a></td>
<td>${stateText(workspace.currentRevisionId, revision)}${isPinned ? ", pinned" : ""}</td>
<td>${actorText(revision.author)}</td><td>${timeText(revision.createdAt)}</td></tr>`,
  )}</tbody></table></div>`;
}

function stateText(currentId: string, { id, acceptedAt }: Revision): Html {
  if (id === currentId) return html`<span class="good">current</span>`;
  return acceptedAt === null ? html`<span class="faint">saved</span>` : html`accepted`;
}

async function revisionPage(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const { core } = context.get("parts");
  const { caller, workspace } = opened;
  const request = { caller, workspaceId: workspace.id };
  const found = await findRevision(core, { ...request, revisionId: context.req.param("revisionId") ?? "" });
  if (!found.ok) return await notFoundPage(context, opened.session);
  const { revision, isPinned } = found.value;
  const base = workspacePath(workspace.id);
  const [parentId] = revision.parentIds;
  const parent =
    parentId === undefined ? null : await findRevision(core, { ...request, revisionId: parentId });
  const before = parent?.ok === true ? parent.value.revision : null;
  const isClosed = filesFault(core) !== null;
  const changes =
    isClosed || (parentId !== undefined && before === null)
      ? null
      : await diffTrees(objectSource(core, workspace.id), before?.treeOid ?? null, revision.treeOid);
  const body = html`<dl>
<dt>State</dt><dd>${stateText(workspace.currentRevisionId, revision)}${isPinned ? ", pinned" : ""}</dd>
<dt>By</dt><dd>${actorText(revision.author)}</dd>
<dt>Made</dt><dd>${timeText(revision.createdAt)}</dd>
${revision.acceptedAt === null ? "" : html`<dt>Accepted</dt><dd>${timeText(revision.acceptedAt)}</dd>`}
<dt>Files</dt><dd><a href="${base}/revisions/${revision.id}/files">${plural(revision.files, "file")}</a>, ${revision.bytes.toLocaleString("en-US")} bytes</dd>
<dt>Parents</dt><dd>${revision.parentIds.length === 0 ? "none" : revision.parentIds.map((id, index) => html`${index === 0 ? "" : ", "}<a href="${base}/revisions/${id}"><code>${id}</code></a>`)}</dd>
<dt>Commit</dt><dd><code>${revision.commitOid}</code></dd>
</dl>
${revision.message === "" ? "" : textBlock(revision.message.slice(0, MAX_MESSAGE_CHARS))}
<h2>What it changed</h2>
${changes === null ? html`<p class="faint">${isClosed ? FILES_CLOSED : "The revision before it is no longer kept."}</p>` : changeTable(changes, { base, revision, before })}`;
  const title = messageLine(revision.message, "Revision");
  return await workspaceFrame(context, opened, { tab: "history", title, body });
}

type Sides = { readonly base: string; readonly revision: Revision; readonly before: Revision | null };

function changeTable(changes: readonly TreeChange[], { base, revision, before }: Sides): Html {
  if (changes.length === 0)
    return html`<p class="faint">Nothing: it has the files of the revision before it.</p>`;
  const filesOf = ({ id }: Revision) => ({ base: `${base}/revisions/${id}/files` });
  const more = changes.length - CHANGES_SHOWN;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Changed files"><table>
<thead><tr><th scope="col">File</th><th scope="col">Change</th><th scope="col">Before</th></tr></thead>
<tbody>${changes.slice(0, CHANGES_SHOWN).map(({ path, before: was, after }) => {
    const name = html`<code>${singleLine(path, MAX_PATH_CHARS)}</code>`;
    return html`<tr><td>${after === null ? name : html`<a href="${addressOf(filesOf(revision), path)}">${name}</a>`}</td>
<td>${was === null ? html`<span class="good">added</span>` : after === null ? html`<span class="bad">deleted</span>` : "modified"}</td>
<td>${was === null || before === null ? "" : html`<a href="${addressOf(filesOf(before), path)}" aria-label="${singleLine(path, MAX_PATH_CHARS)} before">before</a>`}</td></tr>`;
  })}</tbody></table></div>
${more > 0 ? html`<p class="faint">And ${plural(more, "more file")}.</p>` : ""}`;
}
