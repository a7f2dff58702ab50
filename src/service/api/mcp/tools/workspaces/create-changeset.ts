// create_changeset: proposes what a copy has saved.

import { ok } from "../../../../../base/result.ts";
import { createChangesetTool } from "../../../../../contract/mcp/changeset-tools.ts";
import { createChangeset } from "../../../../core/workspaces/changesets/create-changeset.ts";
import { changesetLine, toToolChangeset } from "../../changeset-answer.ts";
import { answer, defineTool } from "../../tool.ts";

export const createChangesetOfCopy = defineTool({
  name: "create_changeset",
  title: "Propose a changeset",
  description:
    "Proposes what a copy has saved, or a revision, to become accepted, and says whether it is in conflict with what is accepted now. It accepts nothing.",
  hints: {},
  scopes: ["workspaces:write"],
  schemas: createChangesetTool,
  run: async (args, { core, caller, signal }) => {
    const { workspace_id: workspaceId, copy_id, revision_id, title, summary } = args;
    const body = {
      title,
      ...(copy_id === undefined ? {} : { working_copy_id: copy_id }),
      ...(revision_id === undefined ? {} : { revision_id }),
      ...(summary === undefined ? {} : { summary }),
    };
    const idempotencyKey = args.idempotency_key ?? null;
    const made = await createChangeset(core, { caller, workspaceId, body, idempotencyKey, signal });
    if (!made.ok) return made;
    const changeset = toToolChangeset(made.value);
    return ok(answer(changeset, changesetLine(changeset)));
  },
});
