// read_file: a file's text, or a part of it.

import { ok } from "../../../../../base/result.ts";
import { singleLine, visibleText } from "../../../../../base/untrusted-text.ts";
import { readFileTool } from "../../../../../contract/mcp/workspace-file-tools.ts";
import { etagOf } from "../../../../core/workspaces/files/etag.ts";
import { readText } from "../../../../core/workspaces/files/read-content.ts";
import { answer, defineTool } from "../../tool.ts";
import { placeOf } from "./file-place.ts";

const MAX_PATH_CHARS = 300;

export const readFileOfPlace = defineTool({
  name: "read_file",
  title: "Read a file",
  description:
    "A file's text: of what is accepted, of a copy, or of a revision. To change it: write_files with its etag, in a copy.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: readFileTool,
  run: async ({ workspace_id: workspaceId, path, offset, max_bytes: limit, ...where }, { core, caller }) => {
    const place = placeOf(where);
    if (!place.ok) return place;
    const request = { caller, workspaceId, place: place.value, path, window: { offset, limit } };
    const read = await readText(core, request);
    if (!read.ok) return read;
    const { file, content, nextOffset } = read.value;
    const etag = etagOf(file);
    const structured = {
      ...{ path, etag, size: file.size, content, offset: read.value.offset },
      ...(nextOffset === null ? {} : { next_offset: nextOffset }),
    };
    const rest = nextOffset === null ? "" : ` The rest begins at offset ${nextOffset}.`;
    const text = `${singleLine(path, MAX_PATH_CHARS)}: ${file.size} bytes, etag ${etag}.${rest}`;
    return ok({
      ...answer(structured, text),
      quoted: [{ label: "What the file holds.", text: visibleText(content) }],
    });
  },
});
