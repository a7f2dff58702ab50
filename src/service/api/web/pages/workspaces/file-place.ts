// Whose files a page shows: of the accepted revision, of any revision, or of a copy as it is now; and where in them.

import { findCopy } from "../../../../core/workspaces/copies/read-copies.ts";
import {
  type ContentView,
  viewOfCopy,
  viewOfRevision,
} from "../../../../core/workspaces/files/copy-overlay.ts";
import { filesFault } from "../../../../core/workspaces/reach-workspace.ts";
import { findRevision } from "../../../../core/workspaces/revisions/read-revisions.ts";
import type { WebContext } from "../../web-context.ts";
import { type OpenWorkspace, workspacePath } from "./workspace-frame.ts";

/** The text in the place of files. */
export const FILES_CLOSED = "This service shows no files of workspaces: its operator has closed them.";

export type FilePlace = {
  readonly view: ContentView;
  /** Of its pages, without a slash at the end. */
  readonly base: string;
  readonly kind: "current" | "revision" | "copy";
  /** The revision, or the copy. */
  readonly id: string;
};

/** Null where there is no such revision or copy in the workspace, and where no files are served. */
export async function findPlace(
  context: WebContext,
  { caller, workspace }: OpenWorkspace,
): Promise<FilePlace | null> {
  const { core } = context.get("parts");
  if (filesFault(core) !== null) return null;
  const { revisionId, copyId } = context.req.param() as Readonly<Record<string, string | undefined>>;
  const base = workspacePath(workspace.id);
  const request = { caller, workspaceId: workspace.id };
  if (copyId !== undefined) {
    const found = await findCopy(core, { ...request, copyId });
    if (!found.ok) return null;
    const view = viewOfCopy(core, found.value.copy);
    return { view, kind: "copy", id: copyId, base: `${base}/copies/${copyId}/files` };
  }
  const id = revisionId ?? workspace.currentRevisionId;
  const found = await findRevision(core, { ...request, revisionId: id });
  if (!found.ok) return null;
  const view = viewOfRevision(core, found.value.revision);
  if (revisionId === undefined) return { view, kind: "current", id, base: `${base}/files` };
  return { view, kind: "revision", id, base: `${base}/revisions/${id}/files` };
}

/** The path that stands behind `/files` in the address; "" is the root. Null where it is none. */
export function pathInAddress(context: WebContext): string | null {
  const [, rest = ""] = splitOnce(new URL(context.req.url).pathname, "/files");
  try {
    return decodeURIComponent(rest).replace(/^\//, "").replace(/\/$/, "");
  } catch {
    return null;
  }
}

/** The address of a file or folder. */
export function addressOf({ base }: Pick<FilePlace, "base">, path: string): string {
  return path === "" ? base : `${base}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function splitOnce(text: string, by: string): readonly string[] {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + by.length)];
}
