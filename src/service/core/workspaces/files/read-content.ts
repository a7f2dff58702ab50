// GET …/files/read and …/files/download: text in windows or whole, and bytes as they are.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { OpenBlob } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { ContentView } from "./copy-overlay.ts";
import { findInView, type ViewFile } from "./copy-view.ts";
import { type FilesRequest, reachView } from "./reach-files.ts";
import type { ReadFilesRefusal } from "./refusals.ts";
import { withTargets } from "./symbolic-link.ts";
import { readTextWindow } from "./text-window.ts";

type SizedFile = ViewFile & { readonly size: number };
export type FileText = {
  readonly file: SizedFile;
  readonly content: string;
  /** Of its first byte: no less than what was asked for. */
  readonly offset: number;
  /** Null at the end of the file. */
  readonly nextOffset: number | null;
};

type ReadTextRequest = FilesRequest & {
  readonly path: string;
  /** In bytes. Null: the whole file, which may not be larger than the editor's cap. */
  readonly window: { readonly offset: number; readonly limit: number } | null;
};

export async function readText(
  core: Core,
  request: ReadTextRequest,
): Promise<Result<FileText, ReadFilesRefusal>> {
  const found = await findContent(core, request);
  if (!found.ok) return found;
  const { file, view } = found.value;
  const { path, window } = request;
  const { editorCapBytes: cap, readWindowBytes } = keepingOf(core).limits;
  if (window === null && file.size > cap) {
    return refused({ reason: "file_too_large", path, size: file.size, cap });
  }
  const { offset, limit } = window ?? { offset: 0, limit: file.size };
  if (offset > file.size) return refused({ reason: "offset_beyond_end", offset, size: file.size });
  // Zero asks for the largest window.
  const length =
    window === null ? file.size : limit === 0 ? readWindowBytes : Math.min(limit, readWindowBytes);
  const text = await readTextWindow({
    size: file.size,
    offset,
    length,
    read: async (range) => await bytesOf(await view.source.open(file.oid, { range })),
  });
  if (text === null) return refused({ reason: "not_text", path });
  const [shown = file] = await withTargets(view.source, [file]);
  return ok({ file: shown, ...text });
}

export type FoundContent = { readonly file: SizedFile; readonly view: ContentView };

/** The file at a path, for whoever reads its bytes. */
export async function findContent(
  core: Core,
  request: FilesRequest & { readonly path: string },
): Promise<Result<FoundContent, ReadFilesRefusal>> {
  const { path } = request;
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const reached = await reachView(core, request);
  if (!reached.ok) return reached;
  return await contentAt(reached.value, path);
}

export async function contentAt(
  view: ContentView,
  path: string,
): Promise<Result<FoundContent, ReadFilesRefusal>> {
  const found = await findInView(view, path);
  if (found === null) return refused({ reason: "file_not_found", path });
  if (found.mode === "40000") return refused({ reason: "path_is_folder", path });
  if (found.mode === "160000") return refused({ reason: "file_is_submodule", path });
  return ok({ file: { ...found, size: found.size ?? (await view.source.size(found.oid)) }, view });
}

async function bytesOf({ content, size }: OpenBlob): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}
