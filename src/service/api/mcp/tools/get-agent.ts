// get_agent: one agent of the account.

import { ok } from "../../../../base/result.ts";
import { getAgentTool } from "../../../../contract/mcp/agent-tools.ts";
import { agentLine, agentUri, toToolAgent } from "../agent-answer.ts";
import { withAgent } from "../find-agent.ts";
import { answer, defineTool } from "../tool.ts";

export const getAgent = defineTool({
  name: "get_agent",
  title: "Read an agent",
  description: "One agent, by its id or its name. Its config is in the resource that the answer links to.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: getAgentTool,
  run: async ({ agent: named }, { core, caller }) =>
    await withAgent({ core, caller }, named, async (found) => {
      const agent = toToolAgent(found, core.policy);
      const link = { uri: agentUri(agent.id), name: agent.name, mimeType: "application/json" };
      return ok({ ...answer(agent, agentLine(agent)), links: [link] });
    }),
});
