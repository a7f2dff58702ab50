// A folder's entries as a table, and the way to a path as links.

import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { listView } from "../../../../core/workspaces/files/list-view.ts";
import { sortKey } from "../../../../core/workspaces/objects/tree-object.ts";
import type { Html } from "../../web-context.ts";
import { addressOf, type FilePlace } from "./file-place.ts";

const ENTRIES_SHOWN = 500;
const MAX_NAME_CHARS = 255;

/** Null where there is no such folder. `after` is the sort key behind which it goes on. */
export async function folderListing(
  place: FilePlace,
  { folder, after }: { folder: string; after: string | null },
): Promise<Html | null> {
  const { source } = place.view;
  const found = await listView(place.view, { folder, after, limit: ENTRIES_SHOWN + 1 });
  if (found === null) return null;
  const entries = found.slice(0, ENTRIES_SHOWN);
  if (entries.length === 0) return html`<p class="faint">There is no file.</p>`;
  const unsized = entries.flatMap((entry) =>
    entry.mode !== "40000" && entry.size === null ? [entry.oid] : [],
  );
  const sizes = await source.sizes(unsized);
  const last = entries.at(-1);
  const more = found.length > ENTRIES_SHOWN && last !== undefined;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Files"><table>
<thead><tr><th scope="col">Name</th><th scope="col" class="number">Bytes</th></tr></thead>
<tbody>${entries.map((entry) => {
    const name = singleLine(baseName(entry.path), MAX_NAME_CHARS);
    const address = addressOf(place, entry.path);
    if (entry.mode === "40000")
      return html`<tr><td><a href="${address}">${name}/</a></td><td class="number"><span class="faint">folder</span></td></tr>`;
    const size = entry.size ?? sizes.get(entry.oid);
    const note = entry.mode === "120000" ? " link" : entry.mode === "100755" ? " executable" : "";
    return html`<tr><td><a href="${address}">${name}</a>${note === "" ? "" : html`<span class="faint">${note}</span>`}</td>
<td class="number">${size === undefined ? "" : size.toLocaleString("en-US")}</td></tr>`;
  })}</tbody></table></div>
${more ? html`<p><a href="${addressOf(place, folder)}?after=${encodeURIComponent(sortKey({ mode: last.mode, name: baseName(last.path) }))}">More</a></p>` : ""}`;
}

/** The folders above a path, each a link, and the path's own name. */
export function breadcrumbs(place: FilePlace, path: string): Html {
  if (path === "") return html``;
  const names = path.split("/");
  return html`<nav aria-label="Folder"><p class="crumbs"><a href="${addressOf(place, "")}">all files</a>${names.map(
    (name, index) => {
      const text = singleLine(name, MAX_NAME_CHARS);
      const isLast = index === names.length - 1;
      return html` / ${isLast ? html`<span aria-current="page">${text}</span>` : html`<a href="${addressOf(place, names.slice(0, index + 1).join("/"))}">${text}</a>`}`;
    },
  )}</p></nav>`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
