// Agents of an account.

import type {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  UpdateAgentRequest,
} from "../contract/agents/agent.ts";
import type { CallOptions } from "./ci.ts";
import { randomIdempotencyKey } from "./idempotency-key.ts";
import { type Connection, requestValue } from "./request.ts";

export type AgentAddress = CallOptions & { readonly agentId: string };

export type CreateAgentOptions = CallOptions & {
  readonly body: CreateAgentRequest;
  /** What makes the call one agent, however often it is sent. Left out: a random one. */
  readonly idempotencyKey?: string | undefined;
};

export type AgentClient = {
  /** POST /v1/agents. With `if_exists: "return"` an agent of that name is found, and has `existing`. */
  createAgent(options: CreateAgentOptions): Promise<CreateAgentResponse>;
  /** GET /v1/agents, newest first. */
  listAgents(options?: CallOptions & { readonly includeIndependent?: boolean }): Promise<readonly Agent[]>;
  /** GET /v1/agents/{agentId}. */
  getAgent(options: AgentAddress): Promise<Agent>;
  /** PATCH /v1/agents/{agentId}. Safe to repeat. */
  updateAgent(options: AgentAddress & { readonly body: UpdateAgentRequest }): Promise<Agent>;
  /** POST /v1/agents/{agentId}/stop: asks its runs to end; the agent stays. Safe to repeat. */
  stopAgent(options: AgentAddress): Promise<Agent>;
  /** POST /v1/agents/{agentId}/retire: it takes no more work. Safe to repeat. */
  retireAgent(options: AgentAddress): Promise<Agent>;
};

export function agentClient(connection: Connection): AgentClient {
  const decoder = async () => (await import("../contract/agents/agent.ts")).agentSchema;
  return {
    createAgent: ({ body, idempotencyKey = randomIdempotencyKey(), signal }) =>
      requestValue(connection, {
        method: "POST",
        path: "/v1/agents",
        body,
        headers: { "idempotency-key": idempotencyKey },
        decoder: async () => (await import("../contract/agents/agent.ts")).createAgentResponseSchema,
        signal,
      }),
    listAgents: (options) =>
      requestValue(connection, {
        path: "/v1/agents",
        query: options?.includeIndependent === true ? { include_independent: "true" } : {},
        decoder: async () => (await import("../contract/agents/agent.ts")).agentListSchema,
        signal: options?.signal,
      }),
    getAgent: (agent) => requestValue(connection, { path: agentPath(agent), decoder, signal: agent.signal }),
    updateAgent: ({ body, ...agent }) =>
      requestValue(connection, {
        method: "PATCH",
        path: agentPath(agent),
        body,
        decoder,
        signal: agent.signal,
      }),
    stopAgent: (agent) =>
      requestValue(connection, {
        method: "POST",
        path: `${agentPath(agent)}/stop`,
        decoder,
        signal: agent.signal,
      }),
    retireAgent: (agent) =>
      requestValue(connection, {
        method: "POST",
        path: `${agentPath(agent)}/retire`,
        decoder,
        signal: agent.signal,
      }),
  };
}

function agentPath({ agentId }: AgentAddress): string {
  return `/v1/agents/${encodeURIComponent(agentId)}`;
}
