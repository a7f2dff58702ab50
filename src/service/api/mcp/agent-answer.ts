// An agent as the tools answer with it. Pure.

import type * as z from "zod/mini";
import type { toolAgentSchema } from "../../../contract/mcp/agent-tools.ts";
import type { Agent } from "../../core/agents/agent.ts";
import type { Policy } from "../../core/core.ts";
import { toAgent } from "../shared/agent-view.ts";

export type ToolAgent = z.infer<typeof toolAgentSchema>;

export function toToolAgent(agent: Agent, policy: Pick<Policy, "backend" | "defaultModel">): ToolAgent {
  const { id, name, model, backend, created_at, retired_at, advisor_max_spend_micro_usd } = toAgent(
    agent,
    policy,
  );
  return { id, name, model, backend, created_at, retired_at, advisor_max_spend_micro_usd };
}

export function agentUri(agentId: string): string {
  return `agent://${agentId}`;
}

export function agentLine({ id, name, model, retired_at }: ToolAgent): string {
  return `${name} (${id}): ${model}${retired_at === undefined ? "" : ", retired"}`;
}
