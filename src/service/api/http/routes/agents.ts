// /v1/agents: create or get, list, read, change, stop, retire.

import { Hono } from "hono";
import {
  type CreateAgentResponse,
  createAgentRequestSchema,
  listAgentsQuerySchema,
  updateAgentRequestSchema,
} from "../../../../contract/agents/agent.ts";
import { createAgent } from "../../../core/agents/create-agent.ts";
import {
  findAgent,
  listAgents,
  retireAgent,
  stopAgent,
  updateAgent,
} from "../../../core/agents/manage-agent.ts";
import type { Core } from "../../../core/core.ts";
import { toAgent } from "../../shared/agent-view.ts";
import { callerOf } from "../authenticate.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { decode, readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

/** The largest config, however it is spelled. */
const MAX_BODY_BYTES = 512 * 1024;
const bounds = { maxBytes: MAX_BODY_BYTES, acceptsForm: false } as const;

export function agentRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post("/v1/agents", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const key = idempotencyKeyOf(context);
    if (!key.ok) return answerProblem(context, key.refusal);
    const body = await readBody(context, { schema: createAgentRequestSchema, ...bounds });
    if (!body.ok) return answerProblem(context, body.refusal);
    const creation = { caller: caller.value, body: body.value, idempotencyKey: key.value };
    const created = await createAgent(core, creation);
    if (!created.ok) return answerRefusal(context, created.refusal);
    const { agent, isExisting } = created.value;
    const answer: CreateAgentResponse = toAgent(agent, core.rates);
    return isExisting ? context.json({ ...answer, existing: true }) : context.json(answer, 201);
  });

  routes.get("/v1/agents", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const query = decode(listAgentsQuerySchema, context.req.query(), "The query");
    if (!query.ok) return answerProblem(context, query.refusal);
    const withIndependent = query.value.include_independent === "true";
    const agents = await listAgents(core, { caller: caller.value, withIndependent });
    if (!agents.ok) return answerRefusal(context, agents.refusal);
    return context.json(agents.value.map((agent) => toAgent(agent, core.rates)));
  });

  routes.get("/v1/agents/:agentId", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const agent = await findAgent(core, { caller: caller.value, ...context.req.param() });
    if (!agent.ok) return answerRefusal(context, agent.refusal);
    return context.json(toAgent(agent.value, core.rates));
  });

  routes.patch("/v1/agents/:agentId", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const body = await readBody(context, { schema: updateAgentRequestSchema, ...bounds });
    if (!body.ok) return answerProblem(context, body.refusal);
    const requestId = context.var.requestId;
    const request = { caller: caller.value, body: body.value, requestId, ...context.req.param() };
    const agent = await updateAgent(core, request);
    if (!agent.ok) return answerRefusal(context, agent.refusal);
    return context.json(toAgent(agent.value, core.rates));
  });

  routes.post("/v1/agents/:agentId/stop", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const agent = await stopAgent(core, { caller: caller.value, ...context.req.param() });
    if (!agent.ok) return answerRefusal(context, agent.refusal);
    return context.json(toAgent(agent.value, core.rates), 202);
  });

  routes.post("/v1/agents/:agentId/retire", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const agent = await retireAgent(core, { caller: caller.value, ...context.req.param() });
    if (!agent.ok) return answerRefusal(context, agent.refusal);
    return context.json(toAgent(agent.value, core.rates));
  });

  return routes;
}
