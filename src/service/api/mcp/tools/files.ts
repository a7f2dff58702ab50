// The tools that read files: of the current revision, of a copy, or of any revision.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../base/result.ts";
import { singleLine, visibleText } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import {
  type FileEntryView,
  fileEntrySchema,
  fileWindowSchema,
} from "../../../../contract/workspaces/files/files.ts";
import { fileRoutes } from "../../../../contract/workspaces/files/routes.ts";
import { invalidRequest, type PublicProblem } from "../../../core/ports/problem.ts";
import { etagOf } from "../../../core/workspaces/files/etag.ts";
import type { FilesPlace } from "../../../core/workspaces/files/reach-files.ts";
import { readText } from "../../../core/workspaces/files/read-content.ts";
import { listFiles } from "../../../core/workspaces/files/read-files.ts";
import { toFileEntry } from "../../shared/file-view.ts";
import { linesOf, nextCursorSchema, nextOf, part, without } from "../answer-part.ts";
import { MAX_SHOWN_PATH_CHARS } from "../file-problem.ts";
import { answer, tool } from "../tool.ts";
import { atMost } from "../tool-input.ts";

const MAX_READ_BYTES = 100_000;
const DEFAULT_READ_BYTES = 12_000;
/** Of the lines for the client's model; the structured answer has every path whole. */
const MAX_TEXT_CHARS = 12_000;

/** Whose files a call means. */
const where = {
  copy_id: field(
    z.optional(z.uuid()),
    "The copy whose files are meant. With neither this nor revision_id: the accepted files.",
  ),
  revision_id: field(z.optional(z.uuid()), "The revision whose files are meant."),
};

function placeOf({
  copy_id: copyId,
  revision_id: revisionId,
}: {
  readonly copy_id: string | undefined;
  readonly revision_id: string | undefined;
}): Result<FilesPlace, PublicProblem> {
  if (copyId !== undefined && revisionId !== undefined)
    return refused(invalidRequest('Give "copy_id" or "revision_id", not both.'));
  if (copyId !== undefined) return ok({ kind: "copy", copyId });
  return ok(revisionId === undefined ? { kind: "canonical" } : { kind: "revision", revisionId });
}

const toolEntry = without(fileEntrySchema, ["name", "mode", "oid"]);
const toolWindow = part(fileWindowSchema, ["path", "etag", "size", "content", "offset"]);

function lineOf(entry: FileEntryView): string {
  const path = visibleText(entry.path);
  if (entry.type === "folder") return `${path}/`;
  const leads = entry.type === "symlink" && entry.target !== null ? ` -> ${visibleText(entry.target)}` : "";
  return `${path}${leads} (${"size" in entry ? entry.size : 0} bytes)`;
}

export const fileTools = [
  tool(fileRoutes.list, {
    name: "list_files",
    title: "List files",
    description:
      "The files and folders in a folder of a workspace: of what is accepted, of a copy, or of a revision.",
    hints: { isReadOnly: true },
    takes: ["copy_id", "revision_id", "path", "recursive", "cursor", "limit"],
    fields: {
      path: "The folder. Left out: the root.",
      recursive: "True: the files in all folders below, by their whole paths.",
      cursor: field(z.optional(z.string().check(z.maxLength(8_000))), "The next_cursor of the page before."),
      limit: atMost(500, 100, "Entries"),
    },
    adds: where,
    output: z.object({ entries: z.array(toolEntry.schema), next_cursor: nextCursorSchema }),
    run: async ({ caller, params, query, own }, { core }) => {
      const place = placeOf(own);
      if (!place.ok) return place;
      const { path, recursive: isRecursive, cursor = "", limit } = query;
      const files = { caller, workspaceId: params.workspaceID, place: place.value, path };
      const page = await listFiles(core, { ...files, isRecursive, cursor, limit });
      if (!page.ok) return page;
      const entries = page.value.items.map(toFileEntry);
      const text = linesOf(entries, lineOf, "There are no files.");
      const bounded = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
      return ok(answer({ entries: entries.map(toolEntry.of), ...nextOf(page.value.nextCursor) }, bounded));
    },
  }),
  tool(fileRoutes.read, {
    name: "read_file",
    title: "Read a file",
    description:
      "A file's text: of what is accepted, of a copy, or of a revision. To change it: write_files with its etag, in a copy.",
    hints: { isReadOnly: true },
    takes: ["copy_id", "revision_id", "path", "offset"],
    fields: { path: "The file.", offset: "The byte to begin with." },
    adds: {
      ...where,
      max_bytes: field(
        z._default(z.int().check(z.minimum(1), z.maximum(MAX_READ_BYTES)), DEFAULT_READ_BYTES),
        "Bytes at most; cut at a character's border.",
      ),
    },
    output: z.extend(toolWindow.schema, { next_offset: z.optional(z.int()) }),
    run: async ({ caller, params, query: { path, offset }, own }, { core }) => {
      const place = placeOf(own);
      if (!place.ok) return place;
      const window = { offset, limit: own.max_bytes };
      const files = { caller, workspaceId: params.workspaceID, place: place.value, path };
      const read = await readText(core, { ...files, window });
      if (!read.ok) return read;
      const { file, content, nextOffset } = read.value;
      const etag = etagOf(file);
      const structured = {
        path,
        etag,
        size: file.size,
        content,
        offset: read.value.offset,
        ...(nextOffset === null ? {} : { next_offset: nextOffset }),
      };
      const rest = nextOffset === null ? "" : ` The rest begins at offset ${nextOffset}.`;
      const text = `${singleLine(path, MAX_SHOWN_PATH_CHARS)}: ${file.size} bytes, etag ${etag}.${rest}`;
      const quoted = [{ label: "What the file holds.", text: visibleText(content) }];
      return ok({ ...answer(structured, text), quoted });
    },
  }),
];
