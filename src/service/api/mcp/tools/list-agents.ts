// list_agents: the account's agents, newest first.

import { ok } from "../../../../base/result.ts";
import { listAgentsTool } from "../../../../contract/mcp/agent-tools.ts";
import { listAgents } from "../../../core/agents/manage-agent.ts";
import { agentLine, toToolAgent } from "../agent-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const listAgentsOfAccount = defineTool({
  name: "list_agents",
  title: "List agents",
  description:
    "The account's agents, newest first. An agent is a long-lived worker: prefer one that is there.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: listAgentsTool,
  run: async ({ include_retired = false, limit }, { core, caller }) => {
    const listed = await listAgents(core, { caller, withIndependent: false });
    if (!listed.ok) return listed;
    const wanted = listed.value.filter(({ retiredAt }) => include_retired || retiredAt === null);
    const agents = wanted.slice(0, limit).map((agent) => toToolAgent(agent, core.policy));
    const omitted = wanted.length - agents.length;
    const text = agents.length === 0 ? "There are no agents. create_agent makes one." : agents.map(agentLine);
    return ok(
      answer(
        { agents, ...(omitted === 0 ? {} : { omitted }) },
        [text].flat().join("\n") + (omitted === 0 ? "" : `\nand ${omitted} more`),
      ),
    );
  },
});
