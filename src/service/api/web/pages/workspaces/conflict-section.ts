// The conflicts of a changeset, each with a choice: the accepted text, the proposed one, or one that is written here.

import { html } from "hono/html";
import { ok, type Result, refused } from "../../../../../base/result.ts";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import type { Resolution } from "../../../../../contract/workspaces/changesets/changeset.ts";
import { plural } from "../../../../../render/quantities.ts";
import type { MergeConflict } from "../../../../core/checkouts/git-scratch.ts";
import type { Core } from "../../../../core/core.ts";
import type { Changeset } from "../../../../core/workspaces/changesets/changeset.ts";
import { compareRevisions } from "../../../../core/workspaces/changesets/compare-changeset.ts";
import { keptRevision } from "../../../../core/workspaces/changesets/reach-changeset.ts";
import { withMade } from "../../../../core/workspaces/merges/made-trees.ts";
import { objectSource } from "../../../../core/workspaces/objects/object-source.ts";
import { findFile } from "../../../../core/workspaces/objects/tree-source.ts";
import { filesFault } from "../../../../core/workspaces/reach-workspace.ts";
import type { Html, WebContext } from "../../web-context.ts";
import { evidenceField, evidenceHint, hidden } from "./decision-fields.ts";
import { addressOf } from "./file-place.ts";
import { type OpenWorkspace, workspacePath } from "./workspace-frame.ts";

/** More are resolved by a revision that has them settled. */
const MAX_CONFLICTS = 50;
const MAX_TEXT_BYTES = 100_000;
const MAX_PATH_CHARS = 300;

type Shown = { readonly changeset: Changeset; readonly path: string; readonly key: string };

export async function conflictSection(
  context: WebContext,
  { workspace }: OpenWorkspace,
  { changeset, path, key }: Shown,
): Promise<Html> {
  const { conflicts, targetRevisionId: expected } = changeset;
  const heading = html`<h2>${plural(conflicts.length, "conflict")}</h2>
<p>What is accepted now and what is proposed change the same.</p>`;
  if (conflicts.length > MAX_CONFLICTS)
    return html`${heading}<p class="note warn">These are too many for a form. Let an agent settle them in a copy of the accepted revision, and make a changeset of that.</p>`;
  const texts = await textsOf(context, changeset);
  const base = workspacePath(workspace.id);
  return html`${heading}
<form method="post" action="${path}/resolve">
${hidden({ key, expected })}
${conflicts.map((conflict, index) => conflictFields({ conflict, index, text: texts.get(conflict.path) ?? null, base, changeset }))}
<p>${evidenceHint}</p>
${evidenceField}
<div class="actions"><button class="main">Resolve and accept</button></div>
</form>`;
}

type Fields = {
  readonly conflict: MergeConflict;
  readonly index: number;
  /** Both sides with git's markers. Null: it is no text, or too long. */
  readonly text: string | null;
  readonly base: string;
  readonly changeset: Changeset;
};

function conflictFields({ conflict, index, text, base, changeset }: Fields): Html {
  const { path, kind, ours, theirs } = conflict;
  const name = singleLine(path, MAX_PATH_CHARS);
  const side = (take: "ours" | "theirs", label: string, revisionId: string) => {
    const isThere = conflict[take] !== null;
    const address = addressOf({ base: `${base}/revisions/${revisionId}/files` }, path);
    return html`<label class="inline"><input type="radio" name="take_${index}" value="${take}" required> <span>${label}${isThere ? html` (<a href="${address}">see it</a>)` : ": no file here"}</span></label>`;
  };
  const field = `content_${index}`;
  return html`<fieldset class="card"><legend><code>${name}</code> <span class="faint">${kind.replaceAll("_", " ")}</span></legend>
<input type="hidden" name="path_${index}" value="${path}">
${side("ours", "What is accepted now", changeset.targetRevisionId)}
${side("theirs", "What is proposed", changeset.revisionId)}
${
  ours === null && theirs === null
    ? ""
    : html`<label class="inline"><input type="radio" name="take_${index}" value="content"> <span>This text</span></label>
<input type="hidden" name="eol_${index}" value="${text?.includes("\r\n") === true ? "crlf" : "lf"}">
<label for="${field}">Text of ${name}</label>
<textarea id="${field}" name="${field}" rows="12" spellcheck="false" class="code">
${text ?? ""}</textarea>
${text === null ? html`<p class="hint">It is no text, or a long one: nothing is filled in.</p>` : html`<p class="hint">Both sides, between git's markers. Take the markers out.</p>`}`
}
</fieldset>`;
}

/** The form's resolution of each path; a text where something is missing. */
export function resolutionsOf(
  form: Readonly<Record<string, unknown>>,
): Result<readonly Resolution[], string> {
  const textOf = (name: string) => {
    const value = form[name];
    return typeof value === "string" ? value : null;
  };
  const resolutions: Resolution[] = [];
  for (let index = 0; index < MAX_CONFLICTS; index += 1) {
    const path = textOf(`path_${index}`);
    if (path === null) break;
    const take = textOf(`take_${index}`);
    if (take === "ours" || take === "theirs") resolutions.push({ path, take });
    else if (take === "content") {
      const lines = (textOf(`content_${index}`) ?? "").replaceAll("\r\n", "\n");
      if (hasMarkers(lines))
        return refused(
          `The text of ${singleLine(path, MAX_PATH_CHARS)} has git's conflict markers: take them out.`,
        );
      const content = textOf(`eol_${index}`) === "crlf" ? lines.replaceAll("\n", "\r\n") : lines;
      resolutions.push({ path, take, content });
    } else return refused(`Choose what ${singleLine(path, MAX_PATH_CHARS)} is to be.`);
  }
  return ok(resolutions);
}

/** All three, each at the start of a line. */
function hasMarkers(text: string): boolean {
  const lines = text.split("\n");
  return ["<<<<<<< ", "=======", ">>>>>>> "].every((marker) => lines.some((line) => line.startsWith(marker)));
}

/** The merged text of each path in conflict, as git left it. */
async function textsOf(context: WebContext, changeset: Changeset): Promise<ReadonlyMap<string, string>> {
  const { core } = context.get("parts");
  if (filesFault(core) !== null) return new Map();
  const { revisions } = core.store.committed;
  const current = await keptRevision(revisions, changeset.targetRevisionId);
  const theirs = await keptRevision(revisions, changeset.revisionId);
  const compared = await compareRevisions(core, { current, theirs, signal: context.req.raw.signal });
  const texts = new Map<string, string>();
  if (!compared.ok) return texts;
  const { treeOid, made } = compared.value.merged;
  const trees = withMade(objectSource(core, changeset.workspaceId), made);
  const own = new Map(made.map(({ oid, data }) => [oid, data]));
  for (const { path } of changeset.conflicts) {
    const file = await findFile(trees, treeOid, path);
    if (file === null || file.mode === "160000" || file.mode === "120000") continue;
    const data = own.get(file.oid) ?? (await keptText(core, changeset.workspaceId, file.oid));
    const text = data === null || data.byteLength > MAX_TEXT_BYTES ? null : decoded(data);
    if (text !== null) texts.set(path, text);
  }
  return texts;
}

async function keptText(core: Core, workspaceId: string, oid: string): Promise<Uint8Array | null> {
  const source = objectSource(core, workspaceId);
  const size = (await source.sizes([oid])).get(oid);
  return size === undefined || size > MAX_TEXT_BYTES ? null : await source.blob(oid);
}

function decoded(data: Uint8Array): string | null {
  if (data.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}
