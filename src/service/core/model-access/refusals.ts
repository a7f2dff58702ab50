// Why the access to a model that a job brings is not taken, or not renewed, and what its caller is told. Pure.

import type { FederatingProvider } from "../../../contract/models/providers.ts";
import type { ModelAccessReason } from "../../../contract/problems/problem.ts";
import { forbidden, isoTime, type ProblemsOf, type PublicProblem } from "../ports/problem.ts";

/** Found at a submission. */
export type ModelAccessRefusal =
  | { readonly reason: "model_access_needs_job" }
  | { readonly reason: "not_executed" }
  | { readonly reason: "service_insecure"; readonly baseUrl: string }
  | { readonly reason: "secrets_key_missing" }
  /** `spoken`: the protocol of the agent's program; null where it reaches its model by itself. */
  | {
      readonly reason: "wire_unsupported";
      readonly provider: FederatingProvider;
      readonly spoken: string | null;
    }
  | AccessLifeRefusal;

/** Found at a submission and at a renewal. */
export type AccessLifeRefusal =
  | { readonly reason: "access_expired"; readonly expiresAt: number }
  | { readonly reason: "access_ending"; readonly expiresAt: number; readonly leastMs: number };

export type RenewAccessRefusal =
  | AccessLifeRefusal
  | { readonly reason: "model_access_none"; readonly runId: string }
  | { readonly reason: "model_access_of_another"; readonly runId: string };

export const modelAccessProblems: ProblemsOf<ModelAccessRefusal | RenewAccessRefusal> = {
  model_access_needs_job: () =>
    forbidden(
      'Only a CI job brings access to a model, and this credential is the key of an account. Leave "model_access" out, or submit with the capability of a job.',
    ),
  not_executed: ({ reason }) =>
    accessRefused(
      reason,
      'This service executes no runs that bring access to a model of their own. Leave "model_access" out.',
    ),
  service_insecure: ({ reason, baseUrl }) =>
    accessRefused(
      reason,
      `This service is reached at ${baseUrl}, without TLS: it takes no access token there. Its operator sets BASE_URL to its https:// address.`,
    ),
  secrets_key_missing: ({ reason }) =>
    accessRefused(
      reason,
      "This service has no key to keep access tokens with. Its operator sets RUN_SECRETS_KEY on every node.",
    ),
  wire_unsupported: ({ reason, provider, spoken }) =>
    accessRefused(
      reason,
      spoken === null
        ? `The agent of this service reaches its model by itself, so that it cannot use an access to ${provider}. Leave "model_access" out, or ask the operator to set MODEL_PROVIDER.`
        : `The agent of this service speaks the protocol ${spoken}, which ${provider} does not. Bring access to a provider that does, or leave "model_access" out.`,
    ),
  access_expired: ({ reason, expiresAt }) =>
    accessRefused(
      reason,
      `The access token ended at ${isoTime(expiresAt)}. Exchange a fresh ID token for one just before it is sent.`,
    ),
  access_ending: ({ reason, expiresAt, leastMs }) =>
    accessRefused(
      reason,
      `The access token ends at ${isoTime(expiresAt)}, and needs ${leastMs / 1000} seconds at least. Exchange a fresh ID token for one just before it is sent.`,
    ),
  model_access_none: ({ runId }) => ({
    status: 409,
    code: "model_access_none",
    message: `Run ${runId} was submitted without "model_access": there is nothing to renew.`,
  }),
  model_access_of_another: ({ runId }) =>
    forbidden(`Run ${runId} was submitted by another CI run: only its own jobs renew its access to a model.`),
};

function accessRefused(reason: ModelAccessReason, message: string): PublicProblem {
  return { status: 400, code: "model_access_refused", message, fields: { reason } };
}
