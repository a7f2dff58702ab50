// reject_changeset: it is not going to be accepted.

import { ok } from "../../../../../base/result.ts";
import { rejectChangesetTool } from "../../../../../contract/mcp/changeset-tools.ts";
import { rejectChangeset } from "../../../../core/workspaces/changesets/reject-changeset.ts";
import { changesetLine, toToolChangeset } from "../../changeset-answer.ts";
import { answer, defineTool } from "../../tool.ts";

export const rejectChangesetById = defineTool({
  name: "reject_changeset",
  title: "Reject a changeset",
  description: "Rejects a changeset. Its revision stays, and can be proposed again.",
  hints: { isDestructive: true },
  scopes: ["workspaces:write"],
  schemas: rejectChangesetTool,
  run: async (args, { core, caller }) => {
    const { workspace_id: workspaceId, changeset_id: changesetId, reason } = args;
    const body = reason === undefined ? {} : { reason };
    const idempotencyKey = args.idempotency_key ?? null;
    const rejected = await rejectChangeset(core, { caller, workspaceId, changesetId, body, idempotencyKey });
    if (!rejected.ok) return rejected;
    const changeset = toToolChangeset(rejected.value);
    return ok(answer(changeset, changesetLine(changeset)));
  },
});
