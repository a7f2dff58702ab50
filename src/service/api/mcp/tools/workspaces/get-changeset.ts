// get_changeset: how it stands to what is accepted now, and what it changes.

import { byteLength, fitText } from "../../../../../base/bounded-text.ts";
import { ok } from "../../../../../base/result.ts";
import { visibleText } from "../../../../../base/untrusted-text.ts";
import { getChangesetTool } from "../../../../../contract/mcp/changeset-tools.ts";
import { readChangeset } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { changesetLine, toToolChangeset } from "../../changeset-answer.ts";
import { answer, defineTool } from "../../tool.ts";

export const getChangesetById = defineTool({
  name: "get_changeset",
  title: "Get a changeset",
  description: "A changeset as it stands to what is accepted now, with what it changes as a git patch.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: getChangesetTool,
  run: async (args, { core, caller, signal }) => {
    const { workspace_id: workspaceId, changeset_id: changesetId, patch: withPatch, max_patch_bytes } = args;
    const read = await readChangeset(core, { caller, workspaceId, changesetId, withPatch, signal });
    if (!read.ok) return read;
    const { changeset, diff } = read.value;
    const shown = toToolChangeset(changeset);
    if (diff === null) return ok(answer(shown, changesetLine(shown)));
    const patch = fitText(diff.patch, max_patch_bytes, (head) => head) ?? "";
    const omitted = byteLength(diff.patch) - byteLength(patch);
    const structured = { ...shown, patch, ...(omitted === 0 ? {} : { patch_omitted_bytes: omitted }) };
    const more =
      omitted === 0 ? "" : ` ${omitted} bytes of the patch were cut: ask with a larger max_patch_bytes.`;
    return ok({
      ...answer(structured, changesetLine(shown) + more),
      quoted: [{ label: "What it changes.", text: visibleText(patch) }],
    });
  },
});
