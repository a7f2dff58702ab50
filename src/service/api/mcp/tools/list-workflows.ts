// list_workflows: an agent's workflows, oldest first.

import { ok } from "../../../../base/result.ts";
import { listWorkflowsTool, MAX_LISTED_WORKFLOWS } from "../../../../contract/mcp/account-tools.ts";
import { listWorkflows } from "../../../core/workflows/workflows.ts";
import { toWorkflow } from "../../shared/workflow-view.ts";
import { withAgent } from "../find-agent.ts";
import { answer, defineTool } from "../tool.ts";

export const listWorkflowsOfAgent = defineTool({
  name: "list_workflows",
  title: "List workflows",
  description: "An agent's workflows: prompts that its owner has written, and activates one version of.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: listWorkflowsTool,
  run: async ({ agent: named }, { core, caller }) =>
    await withAgent({ core, caller }, named, async ({ id: agentId }) => {
      const listed = await listWorkflows(core, { caller, agentId });
      if (!listed.ok) return listed;
      const workflows = listed.value.slice(0, MAX_LISTED_WORKFLOWS).map(toWorkflow);
      const omitted = listed.value.length - workflows.length;
      const lines = workflows.map(
        ({ id, name, active_version }) =>
          `${name} (${id}): ${active_version === null ? "not active" : `version ${active_version} is active`}`,
      );
      const text = lines.length === 0 ? "There are no workflows." : lines.join("\n");
      return ok(answer({ workflows, ...(omitted === 0 ? {} : { omitted }) }, text));
    }),
});
