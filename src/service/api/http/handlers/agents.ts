// /v1/agents: create or get, list, read, change, stop, retire, delete.

import { ok } from "../../../../base/result.ts";
import type { agentRoutes } from "../../../../contract/agents/routes.ts";
import { deleteAgent } from "../../../core/agent-endings/delete-agent.ts";
import { retireAgent } from "../../../core/agent-endings/retire-agent.ts";
import type { Agent } from "../../../core/agents/agent.ts";
import { createAgent } from "../../../core/agents/create-agent.ts";
import { findAgent, listAgents, updateAgent } from "../../../core/agents/manage-agent.ts";
import type { Core } from "../../../core/core.ts";
import { revokeRunViews } from "../../../core/run-views/run-views.ts";
import { stopAgent } from "../../../core/runs/stop-agent.ts";
import { toAgent } from "../../shared/agent-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function agentHandlers(core: Core): NounHandlers<typeof agentRoutes> {
  const view = (agent: Agent) => toAgent(agent, core.policy);
  return {
    create: async (request) => {
      const created = await createAgent(core, request);
      if (!created.ok) return created;
      const { value, isReplay } = created;
      return value.isExisting
        ? ok({ status: 200, body: { ...view(value.agent), existing: true }, isReplay })
        : ok({ status: 201, body: view(value.agent), isReplay });
    },
    list: async ({ caller, query }) =>
      shown(await listAgents(core, { caller, withIndependent: query.include_independent }), (agents) =>
        agents.map(view),
      ),
    get: async ({ caller, params }) =>
      shown(await findAgent(core, { caller, agentId: params.agentID }), view),
    update: async ({ caller, params, body, requestId }) =>
      shown(await updateAgent(core, { caller, agentId: params.agentID, body, requestId }), view),
    stop: async ({ caller, params }) =>
      shown(await stopAgent(core, { caller, agentId: params.agentID }), view),
    revokeLinks: async ({ caller, params, requestId }) =>
      shown(await revokeRunViews(core, { caller, agentId: params.agentID, requestId }), () => null),
    retire: async ({ caller, params }) =>
      shown(await retireAgent(core, { caller, agentId: params.agentID }), view),
    delete: async ({ caller, params, requestId }) =>
      shown(await deleteAgent(core, { caller, agentId: params.agentID, requestId }), () => null),
  };
}
