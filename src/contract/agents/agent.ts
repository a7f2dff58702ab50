// An agent and its routes under /v1/agents. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { egressPolicyRequestSchema, egressPolicySchema } from "../egress.ts";
import { boundedObject, flag, text } from "../fields.ts";
import { ciPolicyRequestSchema, ciPolicySchema } from "./ci-policy.ts";

export const MAX_AGENT_NAME_CHARS = 255;
export const MAX_CONFIG_BYTES = 64 * 1024;
export const MAX_CONFIG_DEPTH = 64;

export const agentStatuses = ["warming", "ready", "sleeping"] as const;

const configSchema = z.record(z.string(), z.unknown());
const microUsdSchema = z.int().check(z.minimum(0));

export const agentSchema = z.object({
  id: z.uuid(),
  /** The owning account. */
  user_id: z.uuid(),
  name: z.string(),
  backend: z.string(),
  model: z.string(),
  config: configSchema,
  entity_disk_id: z.string(),
  /** Absent while the state of its session is not known. */
  status: z.optional(z.enum(agentStatuses)),
  created_at: z.iso.datetime(),
  kind: z.optional(z.literal("independent")),
  /** Of the manager that a workspace was made with: it ends with the workspace. Absent for every other agent. */
  workspace_id: z.optional(z.uuid()),
  /** Micro-USD a turn, 1,000,000 = 1 USD; 0 stops the advisor. Absent: no cap. */
  advisor_max_spend_micro_usd: z.optional(microUsdSchema),
  /** Of a repository's agent: which CI jobs may run it. Null: all of its repository's. */
  ci_policy: z.optional(z.nullable(ciPolicySchema)),
  /** What its runs may reach of the network, at most. Absent: what the service's operator allows, for runs that ask. */
  egress: z.optional(egressPolicySchema),
  /** Absent while the agent takes work. */
  retired_at: z.optional(z.iso.datetime()),
});

export type Agent = z.infer<typeof agentSchema>;

export const agentListSchema = z.array(agentSchema);

/** `existing` comes with an agent that this request found, not made. */
export const createAgentResponseSchema = z.extend(agentSchema, { existing: z.optional(z.literal(true)) });
export type CreateAgentResponse = z.infer<typeof createAgentResponseSchema>;

export const createAgentRequestSchema = strictObject({
  name: text(MAX_AGENT_NAME_CHARS),
  /** Left out: the router's default. */
  model: z.optional(text(255)),
  /** Opaque to the service. */
  config: z.optional(boundedObject({ maxBytes: MAX_CONFIG_BYTES, maxDepth: MAX_CONFIG_DEPTH })),
  /** `return` gives an agent of this name where there is one; `error`, the default, always makes one. */
  if_exists: z.optional(z.enum(["return", "error"])),
  kind: z.optional(z.literal("independent")),
  /** Not read: the owner is the credential's account. */
  user_id: z.optional(z.unknown()),
});

export type CreateAgentRequest = z.infer<typeof createAgentRequestSchema>;

export const updateAgentRequestSchema = strictObject({
  /** Null clears the cap. */
  advisor_max_spend_micro_usd: z.optional(z.nullable(microUsdSchema)),
  /** The whole policy, in the place of the one before. Null clears it. */
  ci_policy: z.optional(z.nullable(ciPolicyRequestSchema)),
  /** Null clears it. */
  egress: z.optional(z.nullable(egressPolicyRequestSchema)),
});

export type UpdateAgentRequest = z.infer<typeof updateAgentRequestSchema>;

export const listAgentsQuerySchema = strictObject({ include_independent: flag() });
