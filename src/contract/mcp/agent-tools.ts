// The tools about agents: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { agentSchema, createAgentRequestSchema } from "../agents/agent.ts";
import { extend, field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { toolSchema } from "./tool-schema.ts";

/** Agents that one answer holds at most. */
export const MAX_LISTED_AGENTS = 50;

/** An agent's id or its name. */
export const agentReferenceSchema = text(255);

const { id, name, model, backend, created_at, retired_at, advisor_max_spend_micro_usd } = agentSchema.shape;

/** An agent without its config, which may be large and nobody but its creator understands. */
export const toolAgentSchema = object({
  id: field(id, "The agent's id."),
  name: field(name, "Its name."),
  model: field(model, "The model that its runs use."),
  backend: field(backend, "What executes its runs."),
  created_at: field(created_at, "When it was made."),
  retired_at: field(retired_at, "When it was retired; absent while it takes work."),
  advisor_max_spend_micro_usd: field(
    advisor_max_spend_micro_usd,
    "What its advisor may spend a turn, in micro-USD; absent: no cap.",
  ),
});

export const listAgentsTool = {
  input: toolSchema(
    strictObject({
      include_retired: field(z.optional(z.boolean()), "Retired agents too, which take no work."),
      limit: field(
        z._default(z.int().check(z.minimum(1), z.maximum(MAX_LISTED_AGENTS)), MAX_LISTED_AGENTS),
        "Agents at most.",
      ),
    }),
  ),
  output: toolSchema(
    object({
      agents: field(z.array(toolAgentSchema), "Newest first."),
      omitted: field(z.optional(z.int()), "How many more there are; absent where these are all."),
    }),
  ),
} as const;

export const getAgentTool = {
  input: toolSchema(strictObject({ agent: field(agentReferenceSchema, "The agent: its id, or its name.") })),
  output: toolSchema(toolAgentSchema),
} as const;

const { name: newName, model: newModel, config } = createAgentRequestSchema.shape;

export const createAgentTool = {
  input: toolSchema(
    strictObject({
      name: field(newName, "Its name."),
      model: field(newModel, "The model that its runs use. Left out: the service's default."),
      config: field(config, "Any JSON object. The service stores it and does not read it."),
      if_exists: field(
        z._default(z.enum(["return", "error"]), "return"),
        "`return` gives the account's agent of this name where there is one; `error` makes another.",
      ),
    }),
  ),
  output: toolSchema(
    extend(toolAgentSchema, {
      existing: field(z.optional(z.literal(true)), "True when the agent was there before the call."),
    }),
  ),
} as const;
