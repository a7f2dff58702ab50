// What a caller is told of a run. Pure.

import type {
  McpRefusal,
  MessageRefusal,
  ParentEndingRefusal,
  ReadRunRefusal,
} from "../../../core/runs/refusals.ts";
import { forbidden, invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

export const runProblems: ProblemsOf<ReadRunRefusal | MessageRefusal | McpRefusal | ParentEndingRefusal> = {
  message_missing: () => invalidRequest('One of "message" and "messages" is required.'),
  mcp_refused_by_owner: ({ agentId }) =>
    forbidden(
      `Runs of agent ${agentId} may name no MCP servers: its owner has set ci_policy.mcp_servers to "none". Leave "mcp_servers" out.`,
    ),
  mcp_without_model: ({ backend }) =>
    invalidRequest(
      `"mcp_servers" is for runs of a model, and this agent's are executed by "${backend}", which takes none. Leave it out.`,
    ),
  parent_ending: () => ({
    status: 409,
    code: "run_finished",
    message: "The run that delegates this one is ending, and starts no other any more.",
  }),
  run_not_found: ({ runId }) => notFound(`There is no run ${runId}.`),
  run_of_another: ({ runId }) =>
    forbidden(`Run ${runId} belongs to an agent that this credential may not use.`),
  events_expired: ({ runId, agentId }) => ({
    status: 410,
    code: "events_expired",
    message: `The events of run ${runId} are not kept any more. Its record is at GET /v1/agents/${agentId}/runs/${runId}.`,
  }),
  run_finished: ({ runId, status }) => ({
    status: 409,
    code: "run_finished",
    message: `Run ${runId} has ended already: ${status}.`,
  }),
};
