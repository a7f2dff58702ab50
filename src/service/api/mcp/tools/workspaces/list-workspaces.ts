// list_workspaces: the account's workspaces.

import { ok } from "../../../../../base/result.ts";
import { listWorkspacesTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { listWorkspaces } from "../../../../core/workspaces/read-workspaces.ts";
import { answer, defineTool } from "../../tool.ts";
import { nextOf, toToolWorkspace, workspaceLine } from "../../workspace-answer.ts";

export const listWorkspacesOfAccount = defineTool({
  name: "list_workspaces",
  title: "List workspaces",
  description:
    "The account's workspaces: bodies of files on which several agents work, each in a copy, until what they changed is accepted.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: listWorkspacesTool,
  run: async (query, { core, caller }) => {
    const page = await listWorkspaces(core, { caller, query });
    if (!page.ok) return page;
    const workspaces = page.value.items.map(toToolWorkspace);
    const text =
      workspaces.length === 0 ? "There are no workspaces." : workspaces.map(workspaceLine).join("\n");
    return ok(answer({ workspaces, ...nextOf(page.value.nextCursor) }, text));
  },
});
