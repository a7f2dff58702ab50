// Faults of a submission that names MCP servers or typed outputs: by the agent's owner, and by what executes its runs. Pure.

import type { SubmitRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core, Policy } from "../core.ts";
import { findServerAccessFault } from "../model-access/kept-server-access.ts";
import type { ServerAccessRefusal } from "../model-access/refusals.ts";
import type { McpRefusal, OutputsRefusal } from "./refusals.ts";

/** The one whose runs have tools of the service. */
const MODEL_BACKEND = "model";

/** Why the servers are not taken; null where they are, or there are none. */
export function findMcpFault(
  { coderWire }: Pick<Policy, "coderWire">,
  { agent, body }: { readonly agent: Agent; readonly body: SubmitRunRequest },
): McpRefusal | null {
  if (body.mcp_servers === undefined) return null;
  const { backend, ciPolicy, id: agentId } = agent;
  if (ciPolicy?.mcp_servers === "none") return { reason: "mcp_refused_by_owner", agentId };
  const isCoders = coderWire !== null && coderWire.backend === backend;
  return isCoders || hasOurTools({ coderWire }, { agent, body })
    ? null
    : { reason: "mcp_without_model", backend };
}

/** Why the access tokens for its servers are not taken; null where they are, or there are none. */
export function findTokensFault(
  core: Pick<Core, "policy" | "secretKeys" | "clock">,
  { mcp_access: accesses, mcp_servers: servers }: SubmitRunRequest,
): ServerAccessRefusal | null {
  if (accesses === undefined) return null;
  const unknown = Object.keys(accesses).find((name) => servers?.[name]?.auth === undefined);
  if (unknown !== undefined) return { reason: "mcp_access_unknown", server: unknown };
  return findServerAccessFault(core, accesses);
}

/** Why the outputs are not taken; null where they are, or there are none. */
export function findOutputsFault(
  policy: Pick<Policy, "coderWire">,
  { agent, body }: { readonly agent: Agent; readonly body: SubmitRunRequest },
): OutputsRefusal | null {
  if (body.outputs === undefined || hasOurTools(policy, { agent, body })) return null;
  return { reason: "outputs_without_model", backend: agent.backend };
}

/** Whether the run is one of the built-in agent. */
export function hasOurTools(
  { coderWire }: Pick<Policy, "coderWire">,
  { agent: { backend }, body }: { readonly agent: Agent; readonly body: SubmitRunRequest },
): boolean {
  return backend === MODEL_BACKEND || (body.model_access !== undefined && coderWire?.backend !== backend);
}
