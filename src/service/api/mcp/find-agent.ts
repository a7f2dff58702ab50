// The agent that a call names: by its id or by its name.

import * as z from "zod/mini";
import type { Result } from "../../../base/result.ts";
import type { ClassRefusal } from "../../core/accounts/refusals.ts";
import type { Agent } from "../../core/agents/agent.ts";
import { findAgent, findAgentByName } from "../../core/agents/manage-agent.ts";
import type { AgentNameRefusal, AgentRefusal } from "../../core/agents/refusals.ts";
import type { CallParts } from "./call-parts.ts";

const uuid = z.uuid();

/** An agent of the caller's account. */
export async function findNamedAgent(
  { core, caller }: Pick<CallParts, "core" | "caller">,
  named: string,
): Promise<Result<Agent, AgentRefusal | ClassRefusal | AgentNameRefusal>> {
  if (!uuid.safeParse(named).success) return await findAgentByName(core, { caller, name: named });
  return await findAgent(core, { caller, agentId: named.toLowerCase() });
}
