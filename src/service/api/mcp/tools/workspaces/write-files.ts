// write_files: files of a copy, all or none.

import { ok, refused } from "../../../../../base/result.ts";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { writeFilesTool } from "../../../../../contract/mcp/workspace-file-tools.ts";
import { etagOf } from "../../../../core/workspaces/files/etag.ts";
import { LINK_MODE } from "../../../../core/workspaces/files/symbolic-link.ts";
import { writeTexts } from "../../../../core/workspaces/files/write-texts.ts";
import { fileProblem } from "../../file-problem.ts";
import { answer, defineTool } from "../../tool.ts";

const MAX_PATH_CHARS = 300;

function modeOf(isExecutable: boolean | undefined): "100755" | "100644" | null {
  if (isExecutable === undefined) return null;
  return isExecutable ? "100755" : "100644";
}

export const writeFilesOfCopy = defineTool({
  name: "write_files",
  title: "Write files",
  description:
    "Writes whole files in a copy, all or none. A file that is there already needs the etag that you read: where somebody wrote it since, nothing is written, and the answer has current_etag. Then read it again before you decide. Save with checkpoint.",
  hints: { isDestructive: true, isIdempotent: true },
  scopes: ["workspaces:write"],
  schemas: writeFilesTool,
  run: async ({ workspace_id: workspaceId, copy_id: copyId, files }, { core, caller, signal }) => {
    const written = await writeTexts(core, {
      ...{ caller, workspaceId, place: { kind: "copy", copyId }, signal },
      texts: files.map(({ path, content = "", target, etag, executable }) => ({
        ...{ path, content: target ?? content, etag: etag ?? null },
        mode: target === undefined ? modeOf(executable) : LINK_MODE,
      })),
    });
    if (!written.ok) return refused(fileProblem(written.refusal));
    const structured = { files: written.value.map((file) => ({ path: file.path, etag: etagOf(file) })) };
    const lines = structured.files.map(
      ({ path, etag }) => `${singleLine(path, MAX_PATH_CHARS)}: etag ${etag}`,
    );
    return ok(answer(structured, `Written, and not saved yet:\n${lines.join("\n")}`));
  },
});
