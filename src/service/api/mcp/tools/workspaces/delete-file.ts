// delete_file: a file or a folder of a copy, into its trash.

import { ok, refused } from "../../../../../base/result.ts";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import { deleteFileTool } from "../../../../../contract/mcp/workspace-file-tools.ts";
import { deleteFiles } from "../../../../core/workspaces/files/delete-files.ts";
import { fileProblem } from "../../file-problem.ts";
import { answer, defineTool } from "../../tool.ts";

const MAX_PATH_CHARS = 300;

export const deleteFileOfCopy = defineTool({
  name: "delete_file",
  title: "Delete a file or folder",
  description: "Deletes a file or a folder of a copy. It can be restored while the copy is there.",
  hints: { isDestructive: true },
  scopes: ["workspaces:write"],
  schemas: deleteFileTool,
  run: async ({ workspace_id: workspaceId, copy_id: copyId, path, etag }, { core, caller }) => {
    const place = { kind: "copy", copyId } as const;
    const ifMatch = etag === undefined ? null : [etag];
    const deleted = await deleteFiles(core, { caller, workspaceId, place, path, ifMatch });
    if (!deleted.ok) return refused(fileProblem(deleted.refusal));
    const { files, handle } = deleted.value;
    const text = `Deleted ${singleLine(path, MAX_PATH_CHARS)}: ${files} files, ${handle}.`;
    return ok(answer({ path, files, trash: handle }, text));
  },
});
