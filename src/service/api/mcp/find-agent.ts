// The agent that a call names: by its id or by its name.

import * as z from "zod/mini";
import { type Result, refused } from "../../../base/result.ts";
import type { ClassRefusal } from "../../core/accounts/refusals.ts";
import type { Agent } from "../../core/agents/agent.ts";
import { findAgent, findAgentByName } from "../../core/agents/manage-agent.ts";
import type { AgentNameRefusal, AgentRefusal } from "../../core/agents/refusals.ts";
import type { CallParts } from "./call-parts.ts";
import type { ToolResult } from "./tool.ts";

const uuid = z.uuid();

/** An agent of the caller's account. */
export async function findNamedAgent(
  { core, caller }: Pick<CallParts, "core" | "caller">,
  named: string,
): Promise<Result<Agent, AgentRefusal | ClassRefusal | AgentNameRefusal>> {
  if (!uuid.safeParse(named).success) return await findAgentByName(core, { caller, name: named });
  return await findAgent(core, { caller, agentId: named.toLowerCase() });
}

/** What `work` answers for the agent that is named, or why there is none. */
export async function withAgent<Structured>(
  parts: Pick<CallParts, "core" | "caller">,
  named: string,
  work: (agent: Agent) => ToolResult<Structured>,
): ToolResult<Structured> {
  const agent = await findNamedAgent(parts, named);
  return agent.ok ? await work(agent.value) : refused(agent.refusal);
}

/** As `withAgent`; without a name `work` is about all agents of the account. */
export async function withSomeAgent<Structured>(
  parts: Pick<CallParts, "core" | "caller">,
  named: string | undefined,
  work: (agentId: string | null) => ToolResult<Structured>,
): ToolResult<Structured> {
  return named === undefined ? await work(null) : await withAgent(parts, named, ({ id }) => work(id));
}
