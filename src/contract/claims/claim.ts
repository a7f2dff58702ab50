// POST /v1/ci/claim: an account asks for a repository's agent. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { ciRepositorySchema } from "../ci/exchange.ts";

export const MAX_CLAIM_CHARS = 255;

/** `claim` is the last part of a claim URL. */
export const claimRequestSchema = strictObject({
  claim: z.string().check(z.minLength(1), z.maxLength(MAX_CLAIM_CHARS)),
});

export type ClaimRequest = z.infer<typeof claimRequestSchema>;

/** "pending" until a job of the repository names the account. */
export const claimStatuses = ["pending", "claimed"] as const;

export const claimResponseSchema = z.object({
  repository: ciRepositorySchema,
  agent_id: z.uuid(),
  status: z.enum(claimStatuses),
  /** Until when the repository can accept it; null once claimed. */
  expires_at: z.nullable(z.iso.datetime()),
});

export type ClaimResponse = z.infer<typeof claimResponseSchema>;
