// POST …/files/upload: files as they arrive, all of them or none.

import { ok, type Result } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { type Content, takeContent } from "../objects/keep-objects.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { Precondition } from "./etag.ts";
import { type CopyPlace, type FilesRequest, reachForWrite } from "./reach-files.ts";
import type { WriteFilesRefusal } from "./refusals.ts";
import { type FileWrite, type WrittenFile, writeEntries } from "./write-entries.ts";

export type ArrivingFile = { readonly path: string; readonly content: AsyncIterable<Uint8Array> };

type UploadRequest = FilesRequest<CopyPlace> & {
  /** Each is read to its end before the next one. */
  readonly files: AsyncIterable<ArrivingFile>;
  /** Of all of them. Null: that of the file that is replaced, and 100644 where there is none. */
  readonly mode: "100644" | "100755" | "120000" | null;
  readonly precondition: Precondition;
  readonly signal: AbortSignal;
};

/** Rejects as reading the files does. Nothing of what arrived is left then. */
export async function uploadFiles(
  core: Core,
  request: UploadRequest,
): Promise<Result<readonly WrittenFile[], WriteFilesRefusal>> {
  const { caller, workspaceId, files, mode, precondition, signal } = request;
  // Before anything is read.
  const copy = await reachForWrite(core, request);
  if (!copy.ok) return copy;
  const { maxFileBytes: maxBytes } = keepingOf(core).limits;
  const contents: Content[] = [];
  const writes: FileWrite[] = [];
  try {
    for await (const { path, content } of files) {
      const checked = checkPath(path);
      if (!checked.ok) return checked;
      const taken = await takeContent(core, { workspaceId, content, maxBytes, signal });
      if (!taken.ok) return taken;
      contents.push(taken.value);
      writes.push({ path, content: taken.value, mode, precondition });
    }
    if (writes.length === 0) return ok([]);
    return await writeEntries(core, { caller, copy: copy.value, writes });
  } finally {
    for (const content of contents) await content.release();
  }
}
