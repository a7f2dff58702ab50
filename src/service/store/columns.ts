// Text columns back to what they stand for. Throws on what no version of this service wrote. Pure.

import * as z from "zod/mini";
import { visibilities } from "../../contract/exchange.ts";
import { messageSchema } from "../../contract/run.ts";
import type { JobIdentity } from "../core/job-identity.ts";
import type { RunInput } from "../core/records.ts";

/** The value, when it is one of `allowed`. */
export function oneOf<const Value extends string>(
  allowed: readonly Value[],
  value: string,
  column: string,
): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new TypeError(`Column ${column} must be one of ${allowed.join(", ")}, holds "${value}".`);
  }
  return found;
}

const jobIdentitySchema = z.object({
  provider: z.string(),
  issuer: z.string(),
  repository: z.object({
    id: z.string(),
    ownerId: z.string(),
    name: z.string(),
    visibility: z.enum(visibilities),
  }),
  sha: z.string(),
  ref: z.string(),
  event: z.string(),
  baseRef: z.nullable(z.string()),
  runId: z.string(),
  runAttempt: z.string(),
  cloneUrl: z.string(),
});

const runInputSchema = z.object({
  messages: z.array(messageSchema),
  maxTurnTokens: z.int(),
  job: z.nullable(jobIdentitySchema),
});

export function parseJob(text: string): JobIdentity {
  return jobIdentitySchema.parse(JSON.parse(text));
}

export function parseRunInput(text: string): RunInput {
  return runInputSchema.parse(JSON.parse(text));
}

export function parseConfig(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
