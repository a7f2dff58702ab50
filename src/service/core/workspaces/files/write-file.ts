// PUT …/files/write: one file, as text or base64.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { WriteFileRequest } from "../../../../contract/workspaces/files/files.ts";
import type { Core } from "../../core.ts";
import { contentOf } from "../objects/keep-objects.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { Precondition } from "./etag.ts";
import { type CopyPlace, type FilesRequest, reachForWrite } from "./reach-files.ts";
import type { WriteFilesRefusal } from "./refusals.ts";
import { LINK_MODE } from "./symbolic-link.ts";
import { type WrittenFile, writeEntries } from "./write-entries.ts";

type WriteFile = FilesRequest<CopyPlace> & {
  readonly body: WriteFileRequest;
  /** Null: the file may not be there. */
  readonly ifMatch: readonly string[] | "any" | null;
  readonly signal?: AbortSignal | undefined;
};

export async function writeFile(
  core: Core,
  request: WriteFile,
): Promise<Result<WrittenFile, WriteFilesRefusal>> {
  const { body, workspaceId, caller, ifMatch, signal } = request;
  const { path } = body;
  const mode = body.target === undefined ? (body.mode ?? null) : LINK_MODE;
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const data = bytesOf(body);
  if (data === null) return refused({ reason: "content_not_base64" });
  const { editorCapBytes: cap } = keepingOf(core).limits;
  if (data.length > cap) return refused({ reason: "file_too_large", path, size: data.length, cap });
  const copy = await reachForWrite(core, request);
  if (!copy.ok) return copy;
  const content = await contentOf(core, { workspaceId, data, signal });
  try {
    const precondition: Precondition = ifMatch ?? "absent";
    const writes = [{ path, content, mode, precondition }];
    const written = await writeEntries(core, { caller, copy: copy.value, writes });
    if (!written.ok) return written;
    const [file] = written.value;
    if (file === undefined) throw new TypeError("A write of one file wrote none.");
    return ok(file);
  } finally {
    await content.release();
  }
}

/** Null where it is not base64. */
function bytesOf({ content = "", encoding, target }: WriteFileRequest): Buffer | null {
  if (target !== undefined) return Buffer.from(target, "utf8");
  if (encoding !== "base64") return Buffer.from(content, "utf8");
  const bytes = Buffer.from(content, "base64");
  return bytes.toString("base64") === content ? bytes : null;
}
