// list_revisions: what was accepted, or all that is saved.

import { ok } from "../../../../../base/result.ts";
import { listRevisionsTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { listRevisions } from "../../../../core/workspaces/revisions/read-revisions.ts";
import { answer, defineTool } from "../../tool.ts";
import { nextOf, revisionLine, toToolRevision } from "../../workspace-answer.ts";

export const listRevisionsOfWorkspace = defineTool({
  name: "list_revisions",
  title: "List revisions",
  description: "The revisions of a workspace, newest first: those that were accepted, or all that are saved.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: listRevisionsTool,
  run: async ({ workspace_id: workspaceId, accepted, ...query }, { core, caller }) => {
    const isAccepted = accepted ? true : null;
    const page = await listRevisions(core, { caller, workspaceId, isAccepted, query });
    if (!page.ok) return page;
    const revisions = page.value.items.map(({ revision }) => toToolRevision(revision));
    const text = revisions.length === 0 ? "There are no revisions." : revisions.map(revisionLine).join("\n");
    return ok(answer({ revisions, ...nextOf(page.value.nextCursor) }, text));
  },
});
