// One changeset: its changes, and, while it is not decided, the forms by which its owner accepts, resolves or rejects it.

import { html, raw } from "hono/html";
import { toHtml } from "../../../../../render/html/element.ts";
import { changesSection } from "../../../../../render/run-page/changes-section.ts";
import { openDiffColours } from "../../../../../render/run-page/diff/syntax/diff-colours.ts";
import { type Changeset, isUndecided } from "../../../../core/workspaces/changesets/changeset.ts";
import { readChangeset, type SeenChangeset } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { notFoundPage } from "../../page.ts";
import { maySend, whoMay } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext } from "../../web-context.ts";
import { textBlock } from "../approve/approval-card.ts";
import { changesText, statusText, titleOf } from "./changesets-page.ts";
import { conflictSection } from "./conflict-section.ts";
import { acceptForm, evidenceHint, rejectForm } from "./decision-fields.ts";
import { actorText, type OpenWorkspace, shortId, workspaceFrame, workspacePath } from "./workspace-frame.ts";

const MAX_SUMMARY_CHARS = 20_000;

/** `alert` is what hindered the form that was sent. */
export async function changesetPage(
  context: WebContext,
  opened: OpenWorkspace,
  alert: string | null = null,
): Promise<Response> {
  const { core } = context.get("parts");
  const { caller, workspace } = opened;
  const changesetId = context.req.param("changesetId") ?? "";
  const { signal } = context.req.raw;
  const request = { caller, workspaceId: workspace.id, changesetId, signal };
  const seen = await readChangeset(core, { ...request, withPatch: true });
  if (seen.ok) return await show(context, opened, { seen: seen.value, alert, fault: null });
  if (seen.refusal.reason === "changeset_not_found" || seen.refusal.reason === "workspace_not_found")
    return await notFoundPage(context, opened.session);
  // Too much for git to compare: what is known without it is shown.
  const plain = await readChangeset(core, { ...request, withPatch: false });
  if (!plain.ok) throw new Error(`The changeset cannot be read: ${plain.refusal.reason}`);
  const fault = toProblem(seen.refusal).message;
  return await show(context, opened, { seen: plain.value, alert, fault });
}

/** The whole patch, as a text that nothing runs. */
export async function patchDownload(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const changesetId = context.req.param("changesetId") ?? "";
  const seen = await readChangeset(context.get("parts").core, {
    caller: opened.caller,
    workspaceId: opened.workspace.id,
    changesetId,
    withPatch: true,
    signal: context.req.raw.signal,
  });
  if (!seen.ok || seen.value.diff === null) return await notFoundPage(context, opened.session);
  const headers = {
    "Content-Type": "text/x-diff; charset=utf-8",
    "Content-Disposition": `attachment; filename="changeset-${seen.value.changeset.id}.patch"`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return context.body(seen.value.diff.patch);
}

type Shown = {
  readonly seen: SeenChangeset;
  readonly alert: string | null;
  /** Why there is no diff. */
  readonly fault: string | null;
};

async function show(
  context: WebContext,
  opened: OpenWorkspace,
  { seen, alert, fault }: Shown,
): Promise<Response> {
  const { changeset } = seen;
  const { workspace } = opened;
  const path = `${workspacePath(workspace.id)}/changesets/${changeset.id}`;
  const body = html`${outcome(workspace.id, changeset)}
${facts(workspace.id, changeset)}
${changeset.summary === "" ? "" : textBlock(changeset.summary.slice(0, MAX_SUMMARY_CHARS))}
${fault === null ? "" : html`<p class="note warn">${fault}</p>`}
${diffBody(seen, path)}
${isUndecided(changeset) ? await decisions(context, opened, { changeset, path }) : ""}`;
  return await workspaceFrame(context, opened, { tab: "changesets", title: titleOf(changeset), body, alert });
}

function facts(workspaceId: string, changeset: Changeset): Html {
  const base = workspacePath(workspaceId);
  const revision = (id: string) => html`<a href="${base}/revisions/${id}"><code>${shortId(id)}</code></a>`;
  const { copyId } = changeset;
  return html`<dl>
<dt>State</dt><dd>${statusText(changeset.status)}</dd>
<dt>Changes</dt><dd>${changesText(changeset)}</dd>
<dt>By</dt><dd>${actorText(changeset.createdBy)}, ${timeText(changeset.createdAt)}</dd>
<dt>Proposes</dt><dd>${revision(changeset.revisionId)}, made from ${revision(changeset.baseRevisionId)}</dd>
<dt>Compared with</dt><dd>${revision(changeset.targetRevisionId)}${isUndecided(changeset) ? ", which is accepted now" : ""}</dd>
${copyId === null ? "" : html`<dt>Copy</dt><dd><a href="${base}/copies/${copyId}/files"><code>${shortId(copyId)}</code></a></dd>`}
</dl>`;
}

function outcome(workspaceId: string, changeset: Changeset): Html {
  if (isUndecided(changeset)) return html``;
  const { status, decidedBy, decidedAt, acceptedRevisionId, rejectReason, evidence } = changeset;
  return html`<div class="note" role="status"><p><strong>This was ${status}</strong>${decidedBy === null ? "" : html` by ${actorText(decidedBy)}`}${decidedAt === null ? "" : html`, ${timeText(decidedAt)}`}.
${acceptedRevisionId === null ? "" : html`<a href="${workspacePath(workspaceId)}/revisions/${acceptedRevisionId}">The accepted revision</a>`}</p>
${rejectReason === null ? "" : textBlock(rejectReason)}
${evidence === null ? "" : html`<p class="faint">How it was validated:</p>${evidenceText(evidence)}`}</div>`;
}

function evidenceText(evidence: NonNullable<Changeset["evidence"]>): Html {
  if (typeof evidence === "string") return textBlock(evidence);
  return html`${evidence.map(({ kind, text }) => textBlock(`${kind}: ${text}`))}`;
}

function diffBody({ changeset, diff }: SeenChangeset, path: string): Html {
  if (diff === null) return html``;
  const { files, patch, isWhole } = diff;
  const changes = { base_sha: changeset.baseRevisionId, files: files.map((file) => ({ ...file })), patch };
  return html`<div class="changes">${raw(toHtml(changesSection(changes, { base: path, filesUrl: null, colours: openDiffColours() })))}</div>
${isWhole ? "" : html`<p class="faint">The patch is longer than what is shown here.</p>`}`;
}

type Undecided = { readonly changeset: Changeset; readonly path: string };

async function decisions(
  context: WebContext,
  opened: OpenWorkspace,
  { changeset, path }: Undecided,
): Promise<Html> {
  const key = context.get("parts").core.random.uuid(context.get("parts").core.clock.now());
  const { session } = opened;
  const place = "/workspace/:workspaceId/changesets/:changesetId";
  const isConflicted = changeset.status === "conflicted";
  const accepting = isConflicted ? (`${place}/resolve` as const) : (`${place}/accept` as const);
  const forms = !maySend(session, accepting)
    ? html`<h2>Decide</h2>
<p class="faint">${whoMay(session, accepting, "accept changes")}</p>`
    : isConflicted
      ? await conflictSection(context, opened, { changeset, path, key })
      : html`<h2>Decide</h2>
<p>Accepted, its changes become part of the accepted files, as a revision of its own. ${evidenceHint}</p>
${acceptForm({ path, key, expected: changeset.targetRevisionId })}`;
  return html`${forms}
${maySend(session, `${place}/reject`) ? html`<h2>Reject</h2>${rejectForm({ path, key })}` : ""}`;
}
