// list_files: what is in a folder of the accepted files, of a copy or of a revision.

import { ok } from "../../../../../base/result.ts";
import { visibleText } from "../../../../../base/untrusted-text.ts";
import { listFilesTool } from "../../../../../contract/mcp/workspace-file-tools.ts";
import { listFiles } from "../../../../core/workspaces/files/read-files.ts";
import { toFileEntry } from "../../../shared/file-view.ts";
import { answer, defineTool } from "../../tool.ts";
import { nextOf } from "../../workspace-answer.ts";
import { placeOf } from "./file-place.ts";

type Entry = {
  readonly path: string;
  readonly type: string;
  readonly size?: number;
  readonly target?: string | null;
};

function lineOf({ path, type, size = 0, target }: Entry): string {
  if (type === "folder") return `${visibleText(path)}/`;
  const leads = typeof target === "string" ? ` -> ${visibleText(target)}` : "";
  return `${visibleText(path)}${leads} (${size} bytes)`;
}

/** Of the lines for the client's model; the structured answer has every path whole. */
const MAX_TEXT_CHARS = 12_000;

export const listFilesOfPlace = defineTool({
  name: "list_files",
  title: "List files",
  description:
    "The files and folders in a folder of a workspace: of what is accepted, of a copy, or of a revision.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: listFilesTool,
  run: async (
    { workspace_id: workspaceId, path, recursive, cursor = "", limit, ...where },
    { core, caller },
  ) => {
    const place = placeOf(where);
    if (!place.ok) return place;
    const request = { caller, workspaceId, place: place.value, path, isRecursive: recursive, cursor, limit };
    const page = await listFiles(core, request);
    if (!page.ok) return page;
    const entries = page.value.items.map(toFileEntry).map((entry) => ({
      ...{ path: entry.path, type: entry.type },
      ...("size" in entry ? { size: entry.size, etag: entry.etag } : {}),
      ...(entry.type === "symlink" ? { target: entry.target } : {}),
    }));
    const lines = entries.map(lineOf);
    const text = lines.length === 0 ? "There are no files." : lines.join("\n");
    const bounded = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
    return ok(answer({ entries, ...nextOf(page.value.nextCursor) }, bounded));
  },
});
