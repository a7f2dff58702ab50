// A folder or a file of a workspace: text with the numbers of its lines, everything as a download, nothing as a page.

import { Hono } from "hono";
import { html, raw } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { el, said, toHtml } from "../../../../../render/html/element.ts";
import { countText } from "../../../../../render/quantities.ts";
import { findInView, type ViewFile } from "../../../../core/workspaces/files/copy-view.ts";
import { keepingOf } from "../../../../core/workspaces/reach-workspace.ts";
import { answerBytes, type ByteContent } from "../../../http/bytes/answer-bytes.ts";
import { hangUpOf } from "../../../http/hang-up.ts";
import { notFoundPage } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { addressOf, type FilePlace, findPlace, pathInAddress } from "./file-place.ts";
import { baseName, breadcrumbs, folderListing } from "./folder-listing.ts";
import { type OpenWorkspace, ofWorkspace, workspaceFrame, workspacePath } from "./workspace-frame.ts";

const MAX_LINES = 20_000;
const MAX_LINE_CHARS = 5_000;
const MAX_PATH_CHARS = 300;

export function filesRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  for (const place of ["", "/revisions/:revisionId", "/copies/:copyId"]) {
    const path = `/workspace/:workspaceId${place}/files`;
    routes.get(path, ofWorkspace(filePage));
    routes.get(`${path}/*`, ofWorkspace(filePage));
  }
  return routes;
}

async function filePage(context: WebContext, opened: OpenWorkspace): Promise<Response> {
  const path = pathInAddress(context);
  const place = path === null ? null : await findPlace(context, opened);
  const found = place === null || path === null ? null : await findInView(place.view, path);
  if (place === null || found === null || path === null) return await notFoundPage(context, opened.session);
  if (found.mode === "40000") {
    const after = context.req.query("after") ?? null;
    const listing = await folderListing(place, { folder: path, after });
    if (listing === null) return await notFoundPage(context, opened.session);
    return await shown(context, opened, { place, path, body: listing });
  }
  const isDownload = context.req.query("download") !== undefined && found.mode !== "160000";
  if (isDownload) return await download(context, { place, file: found });
  return await shown(context, opened, { place, path, body: await fileBody(context, { place, file: found }) });
}

type Shown = { readonly place: FilePlace; readonly path: string; readonly body: Html };

async function shown(
  context: WebContext,
  opened: OpenWorkspace,
  { place, path, body }: Shown,
): Promise<Response> {
  const whole = html`${breadcrumbs(place, path)}
${placeNote(opened, place)}
${body}`;
  const title = path === "" ? titles[place.kind] : singleLine(path, MAX_PATH_CHARS);
  return await workspaceFrame(context, opened, { tab: "files", title, body: whole });
}

const titles = {
  current: "Accepted files",
  revision: "Files of a revision",
  copy: "Files of a copy",
} as const;

/** A note on files that are not the accepted ones. */
function placeNote({ workspace }: OpenWorkspace, { kind, id }: FilePlace): Html {
  const base = workspacePath(workspace.id);
  if (kind === "revision")
    return html`<p class="faint">As of the revision <a href="${base}/revisions/${id}"><code>${id}</code></a>.</p>`;
  if (kind === "copy")
    return html`<p class="faint">In the copy <code>${id}</code>, with what was written and not yet saved.</p>`;
  return html``;
}

type Placed = { readonly place: FilePlace; readonly file: ViewFile };

async function fileBody(context: WebContext, { place, file }: Placed): Promise<Html> {
  if (file.mode === "160000")
    return html`<p class="note">This is a submodule: commit <code>${file.oid}</code> of another repository.</p>`;
  const { core } = context.get("parts");
  const { editorCapBytes } = keepingOf(core).limits;
  const size = await sizeOf({ place, file });
  const facts = html`<p class="row"><span class="faint">${size.toLocaleString("en-US")} bytes${file.mode === "100755" ? ", executable" : ""}</span>
<a class="end" href="${addressOf(place, file.path)}?download">Download</a></p>`;
  if (size > editorCapBytes)
    return html`${facts}<p class="note">The file is larger than ${editorCapBytes.toLocaleString("en-US")} bytes: it is not shown here.</p>`;
  const text = textOf(await place.view.source.blob(file.oid));
  if (text === null) return html`${facts}<p class="note">This is no text.</p>`;
  if (file.mode === "120000")
    return html`${facts}<p>A link to <code>${singleLine(text, MAX_PATH_CHARS)}</code>.</p>`;
  if (text === "") return html`${facts}<p class="faint">The file is empty.</p>`;
  return html`${facts}${raw(numbered(text))}`;
}

/** Each line is an address of its own; its number is drawn by the style, and is not copied with the text. */
function numbered(text: string): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const kept = lines.slice(0, MAX_LINES);
  const more = lines.length - kept.length;
  const source = el(
    "pre",
    { class: "source", tabindex: 0, role: "region", "aria-label": "The file's text" },
    ...kept.map((line, index) => el("span", { id: `L${index + 1}` }, `${shortened(line)}\n`)),
  );
  const note = el("p", { class: "faint" }, `${countText(more)} more lines are in the download.`);
  return toHtml(more > 0 ? [source, note] : source);
}

function shortened(line: string): string {
  const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (bare.length <= MAX_LINE_CHARS) return said(bare);
  return `${said(bare.slice(0, MAX_LINE_CHARS))}… ${countText(bare.length - MAX_LINE_CHARS)} more characters`;
}

/** Null for what is no UTF-8 text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function sizeOf({ place, file }: Placed): Promise<number> {
  return file.size ?? (await place.view.source.sizes([file.oid])).get(file.oid) ?? 0;
}

async function download(context: WebContext, { place, file }: Placed): Promise<Response> {
  const size = await sizeOf({ place, file });
  const { outer } = context.env;
  const open: ByteContent["open"] = async (part, signal) => {
    const opened = await place.view.source.open(
      file.oid,
      part === null ? { signal } : { range: part, signal },
    );
    return opened.content;
  };
  const headers = {
    "Content-Disposition": `attachment; filename*=UTF-8''${encodedName(baseName(file.path))}`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
  };
  const content = { contentType: "application/octet-stream", size, etag: null, open };
  return await answerBytes(outer, content, { hangUp: hangUpOf(outer), headers });
}

/** As RFC 8187 has it. */
function encodedName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
