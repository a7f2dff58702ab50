// create_agent: makes an agent by name, or gives the one that is there.

import { ok } from "../../../../base/result.ts";
import { createAgentTool } from "../../../../contract/mcp/agent-tools.ts";
import { createAgent } from "../../../core/agents/create-agent.ts";
import { agentLine, toToolAgent } from "../agent-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const createAgentByName = defineTool({
  name: "create_agent",
  title: "Make or get an agent",
  description:
    "Makes an agent of this name, or gives the account's agent that has the name already. One long-lived agent is better than many.",
  hints: { isIdempotent: true },
  scopes: ["runs:write", "agents:read"],
  schemas: createAgentTool,
  run: async (body, { core, caller }) => {
    const created = await createAgent(core, { caller, body, idempotencyKey: null });
    if (!created.ok) return created;
    const agent = toToolAgent(created.value.agent, core.policy);
    if (!created.value.isExisting) return ok(answer(agent, `Made ${agentLine(agent)}`));
    return ok(answer({ ...agent, existing: true as const }, `It was there: ${agentLine(agent)}`));
  },
});
