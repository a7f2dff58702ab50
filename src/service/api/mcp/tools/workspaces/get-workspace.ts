// get_workspace: a workspace with what waits in it.

import { ok, refused } from "../../../../../base/result.ts";
import { getWorkspaceTool } from "../../../../../contract/mcp/changeset-tools.ts";
import { listChangesets } from "../../../../core/workspaces/changesets/read-changesets.ts";
import { listCopies } from "../../../../core/workspaces/copies/read-copies.ts";
import { reachWorkspace } from "../../../../core/workspaces/reach-workspace.ts";
import { workspaceUrl } from "../../../../core/workspaces/workspace-url.ts";
import { changesetLine, toToolChangeset } from "../../changeset-answer.ts";
import { answer, defineTool } from "../../tool.ts";
import { copyLine, toToolCopy, toToolWorkspace, workspaceLine } from "../../workspace-answer.ts";

const MOST = 10;

export const getWorkspaceById = defineTool({
  name: "get_workspace",
  title: "Get a workspace",
  description:
    "A workspace: its accepted revision, its newest copies, and the changesets that wait for a decision.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: getWorkspaceTool,
  run: async ({ workspace_id: workspaceId }, { core, caller }) => {
    const request = { caller, workspaceId, query: { limit: MOST } };
    const reached = await reachWorkspace(core, request);
    if (!reached.ok) return refused(reached.refusal);
    const copies = await listCopies(core, request);
    if (!copies.ok) return refused(copies.refusal);
    const waiting = [];
    for (const status of ["open", "conflicted"] as const) {
      const page = await listChangesets(core, { ...request, status });
      if (!page.ok) return refused(page.refusal);
      waiting.push(...page.value.items.map(toToolChangeset));
    }
    const structured = {
      workspace: toToolWorkspace(reached.value),
      url: workspaceUrl(core.policy, workspaceId),
      copies: copies.value.items.filter(({ copy }) => !copy.isCanonical).map(toToolCopy),
      changesets: waiting.slice(0, MOST),
    };
    const lines = [
      workspaceLine(structured.workspace),
      ...structured.copies.map(copyLine),
      ...structured.changesets.map(changesetLine),
    ];
    return ok(answer(structured, lines.join("\n")));
  },
});
