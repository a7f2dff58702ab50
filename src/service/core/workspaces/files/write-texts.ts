// Several files of a copy as text, in one piece: all are written, or none.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { type Content, contentOf } from "../objects/keep-objects.ts";
import type { FileMode } from "../objects/tree-object.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import { type CopyPlace, type FilesRequest, reachForWrite } from "./reach-files.ts";
import type { WriteFilesRefusal } from "./refusals.ts";
import { type FileWrite, type WrittenFile, writeEntries } from "./write-entries.ts";

export type TextWrite = {
  readonly path: string;
  /** Of a symbolic link: where it leads. */
  readonly content: string;
  /** The ETag that its writer has read. Null: the file may not be there. */
  readonly etag: string | null;
  /** Null: as it was; a new file is a plain one. */
  readonly mode: Extract<FileMode, "100644" | "100755" | "120000"> | null;
};

type WriteTexts = FilesRequest<CopyPlace> & {
  readonly texts: readonly TextWrite[];
  readonly signal?: AbortSignal | undefined;
};

/** In the order of the texts. */
export async function writeTexts(
  core: Core,
  request: WriteTexts,
): Promise<Result<readonly WrittenFile[], WriteFilesRefusal>> {
  const { caller, workspaceId, texts, signal } = request;
  const { editorCapBytes: cap } = keepingOf(core).limits;
  for (const { path, content } of texts) {
    const checked = checkPath(path);
    if (!checked.ok) return checked;
    const size = Buffer.byteLength(content);
    if (size > cap) return refused({ reason: "file_too_large", path, size, cap });
  }
  const copy = await reachForWrite(core, request);
  if (!copy.ok) return copy;
  const contents: Content[] = [];
  try {
    const writes: FileWrite[] = [];
    for (const { path, content: text, etag, mode } of texts) {
      const data = Buffer.from(text, "utf8");
      const content = await contentOf(core, {
        workspaceId,
        data,
        ...(signal === undefined ? {} : { signal }),
      });
      contents.push(content);
      writes.push({ path, content, mode, precondition: etag === null ? "absent" : [etag] });
    }
    const written = await writeEntries(core, { caller, copy: copy.value, writes });
    return written.ok ? ok(written.value) : written;
  } finally {
    for (const content of contents) await content.release();
  }
}
