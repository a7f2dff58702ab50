// The tools about agents: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { agentSchema, createAgentRequestSchema } from "../agents/agent.ts";
import { text } from "../fields.ts";
import { fieldText, toolSchema } from "./tool-schema.ts";

/** Agents that one answer holds at most. */
export const MAX_LISTED_AGENTS = 50;

/** An agent's id or its name. */
export const agentReferenceSchema = text(255);

const { id, name, model, backend, created_at, retired_at, advisor_max_spend_micro_usd } = agentSchema.shape;

/** An agent without its config, which may be large and nobody but its creator understands. */
export const toolAgentSchema = z.object({
  id,
  name,
  model,
  backend,
  created_at,
  retired_at,
  advisor_max_spend_micro_usd,
});

const agentTexts = {
  id: "The agent's id.",
  name: "Its name.",
  model: "The model that its runs use.",
  backend: "What executes its runs.",
  created_at: "When it was made.",
  retired_at: "When it was retired; absent while it takes work.",
  advisor_max_spend_micro_usd: "What its advisor may spend a turn, in micro-USD; absent: no cap.",
} as const;

export const listAgentsTool = {
  input: toolSchema(
    strictObject({
      include_retired: z.optional(z.boolean()),
      limit: z._default(z.int().check(z.minimum(1), z.maximum(MAX_LISTED_AGENTS)), MAX_LISTED_AGENTS),
    }),
    { include_retired: "Retired agents too, which take no work.", limit: "Agents at most." },
  ),
  output: toolSchema(z.object({ agents: z.array(toolAgentSchema), omitted: z.optional(z.int()) }), {
    agents: ["Newest first.", agentTexts],
    omitted: "How many more there are; absent where these are all.",
  }),
} as const;

export const getAgentTool = {
  input: toolSchema(strictObject({ agent: agentReferenceSchema }), { agent: fieldText.agent }),
  output: toolSchema(toolAgentSchema, agentTexts),
} as const;

const { name: newName, model: newModel, config } = createAgentRequestSchema.shape;

export const createAgentTool = {
  input: toolSchema(
    strictObject({
      name: newName,
      model: newModel,
      config,
      if_exists: z._default(z.enum(["return", "error"]), "return"),
    }),
    {
      name: "Its name.",
      model: "The model that its runs use. Left out: the service's default.",
      config: "Any JSON object. The service stores it and does not read it.",
      if_exists: "`return` gives the account's agent of this name where there is one; `error` makes another.",
    },
  ),
  output: toolSchema(z.extend(toolAgentSchema, { existing: z.optional(z.literal(true)) }), {
    ...agentTexts,
    existing: "True when the agent was there before the call.",
  }),
} as const;
