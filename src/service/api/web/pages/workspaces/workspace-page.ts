// /workspace/{id}: what is accepted, what waits, and who works in it.

import { Hono } from "hono";
import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { plural } from "../../../../../render/quantities.ts";
import type { Core } from "../../../../core/core.ts";
import { listChangesets } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { holderOf } from "../../../../core/workspaces/copies/copy.ts";
import { type CountedCopy, listCopies } from "../../../../core/workspaces/copies/read-copies.ts";
import { filesFault } from "../../../../core/workspaces/reach-workspace.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { changesetTable } from "./changesets-page.ts";
import { FILES_CLOSED, findPlace } from "./file-place.ts";
import { folderListing } from "./folder-listing.ts";
import {
  actorText,
  type OpenWorkspace,
  ofWorkspace,
  shortId,
  workspaceFrame,
  workspacePath,
} from "./workspace-frame.ts";

const COPIES_SHOWN = 20;
const CHANGESETS_SHOWN = 20;
const MEMBERS_SHOWN = 100;
const MAX_NAME_CHARS = 200;

export function workspaceRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/workspace/:workspaceId", ofWorkspace(workspacePage));
  return routes;
}

async function workspacePage(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const { core } = context.get("parts");
  const { workspace } = opened;
  const place = await findPlace(context, opened);
  const [listing, changesets, copies, members] = await Promise.all([
    place === null ? null : folderListing(place, { folder: "", after: null }),
    waitingSection(core, opened),
    copySection(core, opened),
    memberSection(core, opened),
  ]);
  const base = workspacePath(workspace.id);
  const body = html`<p class="faint">${workspace.state === "ready" ? "" : html`<strong class="warn">${workspace.state}</strong> · `}<code>${workspace.id}</code> · the accepted revision is <a href="${base}/revisions/${workspace.currentRevisionId}"><code>${workspace.currentRevisionId}</code></a></p>
<h2>Files</h2>
${listing ?? html`<p class="faint">${filesFault(core) === null ? "The accepted revision is not there." : FILES_CLOSED}</p>`}
${filesFault(core) === null ? cloneSection(core, opened) : ""}
<h2>Waits for a decision</h2>
${changesets}
<h2>Copies</h2>
${copies}
<h2>Members</h2>
${members}`;
  return await workspaceFrame(context, opened, { tab: "files", title: null, body });
}

function cloneSection({ policy }: Core, { workspace }: OpenWorkspace): Html {
  return html`<h2>By git</h2>
<pre tabindex="0">git clone ${policy.baseUrl}/v1/workspaces/${workspace.id}.git</pre>
<p class="faint">Git asks for a password: a <a href="/settings/keys">key</a> of this account, with any name.</p>`;
}

/** Those that are open, and those in conflict. */
async function waitingSection(core: Core, { caller, workspace }: OpenWorkspace): Promise<Html> {
  const request = { caller, workspaceId: workspace.id, query: { limit: CHANGESETS_SHOWN } };
  const lists = await Promise.all(
    (["open", "conflicted"] as const).map((status) => listChangesets(core, { ...request, status })),
  );
  const changesets = lists.flatMap((list) => (list.ok ? list.value.items : []));
  if (changesets.length === 0) return html`<p class="faint">No changeset is open.</p>`;
  return changesetTable(workspace.id, changesets);
}

async function copySection(core: Core, { caller, workspace }: OpenWorkspace): Promise<Html> {
  const listed = await listCopies(core, {
    caller,
    workspaceId: workspace.id,
    query: { limit: COPIES_SHOWN + 1 },
  });
  const copies = listed.ok ? listed.value.items.filter(({ copy }) => !copy.isCanonical) : [];
  if (copies.length === 0) return html`<p class="faint">There is no copy beside the accepted files.</p>`;
  const base = workspacePath(workspace.id);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Copies"><table>
<thead><tr><th scope="col">Copy</th><th scope="col">State</th><th scope="col">Unsaved</th><th scope="col">Saved as</th><th scope="col">By</th><th scope="col">Made</th></tr></thead>
<tbody>${copies.slice(0, COPIES_SHOWN).map(({ copy, changedFiles }) => {
    const { id, savedRevisionId: saved } = copy;
    return html`<tr><td><a href="${base}/copies/${id}/files"><code>${shortId(id)}</code></a></td>
<td>${copyState({ copy, changedFiles })}</td><td>${changedFiles === 0 ? html`<span class="faint">nothing</span>` : plural(changedFiles, "file")}</td>
<td>${saved === null ? html`<span class="faint">not saved</span>` : html`<a href="${base}/revisions/${saved}"><code>${shortId(saved)}</code></a>`}</td>
<td>${actorText(copy.createdBy)}</td><td>${timeText(copy.createdAt)}</td></tr>`;
  })}</tbody></table></div>
${copies.length > COPIES_SHOWN ? html`<p class="faint">And older ones.</p>` : ""}`;
}

function copyState({ copy }: CountedCopy): Html {
  if (copy.state === "deleting") return html`<span class="warn">is being deleted</span>`;
  return holderOf(copy) === null ? html`ready` : html`<span class="warn">a run works in it</span>`;
}

async function memberSection(core: Core, { workspace }: OpenWorkspace): Promise<Html> {
  const { agents, members } = core.store.committed;
  const listed = await members.list({ workspaceId: workspace.id, before: null, limit: MEMBERS_SHOWN });
  const ids = [workspace.managerAgentId, ...listed.map(({ agentId }) => agentId)];
  const named = await Promise.all([...new Set(ids)].map((id) => agents.find(id)));
  return html`<ul class="cards">${named.map((agent) =>
    agent === null
      ? ""
      : html`<li class="card row"><a href="/agent/${agent.id}">${singleLine(agent.name, MAX_NAME_CHARS)}</a><span class="faint end">${agent.id === workspace.managerAgentId ? "manager" : "worker"}${agent.retiredAt === null ? "" : ", retired"}</span></li>`,
  )}</ul>`;
}
