// An agent and its routes under /v1/agents. Pure.

import * as z from "zod/mini";
import { egressPolicyRequestSchema, egressPolicySchema } from "../egress.ts";
import { extend, field, object, strictObject } from "../field.ts";
import { boundedObject, flag, text } from "../fields.ts";
import { ciPolicyRequestSchema, ciPolicySchema } from "./ci-policy.ts";

export const MAX_AGENT_NAME_CHARS = 255;
export const MAX_CONFIG_BYTES = 64 * 1024;
export const MAX_CONFIG_DEPTH = 64;

const agentStatuses = ["warming", "ready", "sleeping"] as const;

const configSchema = z.record(z.string(), z.unknown());
const microUsdSchema = z.int().check(z.minimum(0));

export const agentSchema = object({
  id: field(z.uuid(), "The agent's id."),
  user_id: field(z.uuid(), "The account that owns it."),
  name: field(z.string(), "Its name. `if_exists: return` finds it by this."),
  backend: field(z.string(), "What executes its runs."),
  model: field(z.string(), "The model that its runs use."),
  config: field(configSchema, "What its creator stored with it. The service does not read it."),
  entity_disk_id: field(z.string(), "The id of its storage."),
  status: field(z.optional(z.enum(agentStatuses)), "The state of its session; absent while it is not known."),
  created_at: field(z.iso.datetime(), "When it was made."),
  kind: field(
    z.optional(z.literal("independent")),
    "`independent` for a member of workspaces; absent for every other agent.",
  ),
  workspace_id: field(
    z.optional(z.uuid()),
    "The workspace that it was made with, as its manager. It is outside of the plan's cap of agents, and ends with the workspace. Absent for every other agent.",
  ),
  advisor_max_spend_micro_usd: field(
    z.optional(microUsdSchema),
    "What its advisor may spend a turn, in micro-USD (1,000,000 = 1 USD). 0 stops the advisor; absent: no cap.",
  ),
  ci_policy: field(
    z.optional(z.nullable(ciPolicySchema)),
    "Which CI jobs may run a repository's agent. Null: every job of its repository.",
  ),
  egress: field(
    z.optional(egressPolicySchema),
    "What its runs may reach of the network, at most, and what a run has that asks for nothing: `none`, `setup` (package registries while the run's setup executes), `registries`, or a list of host names, in which `setup` and `registries` may stand too. Absent: the operator's limit, for runs that ask.",
  ),
  retired_at: field(z.optional(z.iso.datetime()), "When it was retired; absent while it takes work."),
});

/** A long-lived worker of an account or a repository. Spending is in micro-USD (1,000,000 = 1 USD), times in ISO 8601. */
export type Agent = z.infer<typeof agentSchema>;

export const agentListSchema = z.array(agentSchema);

/** `existing` comes with an agent that this request found, not made. */
export const createAgentResponseSchema = extend(agentSchema, {
  existing: field(z.optional(z.literal(true)), "True when the agent was there before the request."),
});
/** The agent of `agents.create`; `existing` is true where `if_exists` found it. */
export type CreateAgentResponse = z.infer<typeof createAgentResponseSchema>;

export const createAgentRequestSchema = strictObject({
  name: field(text(MAX_AGENT_NAME_CHARS), "Its name."),
  model: field(z.optional(text(255)), "The model that its runs use. Left out: the service's default."),
  config: field(
    z.optional(boundedObject({ maxBytes: MAX_CONFIG_BYTES, maxDepth: MAX_CONFIG_DEPTH })),
    "Any JSON object. The service stores it and does not read it.",
  ),
  if_exists: field(
    z.optional(z.enum(["return", "error"])),
    "`return` gives the account's agent of this name where there is one; `error`, the default, always makes one.",
  ),
  kind: field(
    z.optional(z.literal("independent")),
    "`independent` makes a member of workspaces. It needs the header Idempotency-Key.",
  ),
  user_id: field(z.optional(z.unknown()), "Not read: the owner is the credential's account."),
});

/** The body of `agents.create`: the name, and what differs from the service's defaults. */
export type CreateAgentRequest = z.infer<typeof createAgentRequestSchema>;

export const updateAgentRequestSchema = strictObject({
  advisor_max_spend_micro_usd: field(
    z.optional(z.nullable(microUsdSchema)),
    "What the advisor may spend a turn, in micro-USD. 0 stops it, null clears the cap.",
  ),
  ci_policy: field(
    z.optional(z.nullable(ciPolicyRequestSchema)),
    "The whole policy, which replaces the one before. Null clears it.",
  ),
  egress: field(
    z.optional(z.nullable(egressPolicyRequestSchema)),
    "What its runs may reach of the network, at most. Null clears it.",
  ),
});

/** The body of `agents.update`: fields that are left out stay as they are; null clears one. */
export type UpdateAgentRequest = z.infer<typeof updateAgentRequestSchema>;

export const listAgentsQuerySchema = strictObject({
  include_independent: field(flag(), "Independent agents too."),
});
