// create_workspace: a workspace without files, with its manager.

import { ok, refused } from "../../../../../base/result.ts";
import { createWorkspaceTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { createWorkspace } from "../../../../core/workspaces/administration/create-workspace.ts";
import { findNamedAgent } from "../../find-agent.ts";
import { answer, defineTool } from "../../tool.ts";
import { toToolWorkspace, workspaceLine } from "../../workspace-answer.ts";

export const createWorkspaceByName = defineTool({
  name: "create_workspace",
  title: "Make a workspace",
  description: "Makes a workspace without files. It starts no run.",
  hints: { isIdempotent: true },
  scopes: ["workspaces:write", "agents:read"],
  schemas: createWorkspaceTool,
  run: async ({ name, manager, idempotency_key: idempotencyKey }, { core, caller }) => {
    const agent = manager === undefined ? null : await findNamedAgent({ core, caller }, manager);
    if (agent !== null && !agent.ok) return refused(agent.refusal);
    const managerId = agent === null ? {} : { default_manager_agent_id: agent.value.id };
    const made = await createWorkspace(core, { caller, body: { name, ...managerId }, idempotencyKey });
    if (!made.ok) return made;
    const workspace = toToolWorkspace(made.value);
    return ok(answer(workspace, `Made ${workspaceLine(workspace)}`));
  },
});
