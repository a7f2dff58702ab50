// GET /v1/ci/identity: what the service has bound to a job's capability. Pure.

import * as z from "zod/mini";
import { ciRepositorySchema, quotaSchema } from "./exchange.ts";

/** "pending": an account has asked for the repository's agent, and a job of the repository has not accepted it yet. */
export const claimStates = ["unclaimed", "pending", "claimed"] as const;
export type ClaimState = (typeof claimStates)[number];

/** The verified claims of the token that was exchanged, under names of our own, and where its repository stands. */
export const ciIdentitySchema = z.object({
  provider: z.string(),
  issuer: z.string(),
  /** The one audience that this service takes, so that the token had it. */
  audience: z.string(),
  repository: ciRepositorySchema,
  event: z.string(),
  ref: z.string(),
  /** The branch that a pull request wants to change, where the event is one. */
  base_ref: z.nullable(z.string()),
  sha: z.string(),
  run_id: z.string(),
  run_attempt: z.string(),
  /** The id of who caused the event, and the workflow's file with its ref; null where the token has none. */
  actor_id: z.nullable(z.string()),
  workflow: z.nullable(z.string()),
  agent_id: z.uuid(),
  claim: z.enum(claimStates),
  /** When the capability ends. */
  expires_at: z.iso.datetime(),
  quota: quotaSchema,
});

export type CiIdentity = z.infer<typeof ciIdentitySchema>;
