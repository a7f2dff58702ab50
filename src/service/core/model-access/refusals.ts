// Refusals to take or to renew the access to a model that a job brings, and their problems. Pure.

import type { FederatingProvider } from "../../../contract/models/providers.ts";
import type { ModelAccessReason } from "../../../contract/problems/problem.ts";
import {
  conflict,
  forbidden,
  isoTime,
  type ProblemTable,
  type PublicProblem,
  type RefusalOf,
} from "../ports/problem.ts";

export const modelAccessProblems = {
  model_access_needs_job: () =>
    forbidden(
      'Only a CI job brings access to a model, and this credential is the key of an account. Leave "model_access" out, or submit with the capability of a job.',
    ),
  not_executed: () =>
    accessRefused(
      "not_executed",
      'This service executes no runs that bring access to a model of their own. Leave "model_access" out.',
    ),
  service_insecure: ({ baseUrl }: { baseUrl: string }) =>
    accessRefused(
      "service_insecure",
      `This service is reached at ${baseUrl}, without TLS: it takes no access token there. Its operator sets BASE_URL to its https:// address.`,
    ),
  secrets_key_missing: () =>
    accessRefused(
      "secrets_key_missing",
      "This service has no key to keep access tokens with. Its operator sets RUN_SECRETS_KEY on every node.",
    ),
  /** `spoken`: the protocol of the agent's program; null where it reaches its model by itself. */
  wire_unsupported: ({ provider, spoken }: { provider: FederatingProvider; spoken: string | null }) =>
    accessRefused(
      "wire_unsupported",
      spoken === null
        ? `The agent of this service reaches its model by itself, so that it cannot use an access to ${provider}. Leave "model_access" out, or ask the operator to set MODEL_PROVIDER.`
        : `The agent of this service speaks the protocol ${spoken}, which ${provider} does not. Bring access to a provider that does, or leave "model_access" out.`,
    ),
  access_expired: ({ expiresAt }: { expiresAt: number }) =>
    accessRefused(
      "access_expired",
      `The access token ended at ${isoTime(expiresAt)}. Exchange a fresh ID token for one just before it is sent.`,
    ),
  access_ending: ({ expiresAt, leastMs }: { expiresAt: number; leastMs: number }) =>
    accessRefused(
      "access_ending",
      `The access token ends at ${isoTime(expiresAt)}, and needs ${leastMs / 1000} seconds at least. Exchange a fresh ID token for one just before it is sent.`,
    ),
  model_access_none: ({ runId }: { runId: string }) =>
    conflict(
      "model_access_none",
      `Run ${runId} was submitted without "model_access": there is nothing to renew.`,
    ),
  model_access_of_another: ({ runId }: { runId: string }) =>
    forbidden(`Run ${runId} was submitted by another CI run: only its own jobs renew its access to a model.`),
  mcp_access_needs_job: () =>
    forbidden(
      'Only a CI job brings access tokens for MCP servers, and this credential is the key of an account. Leave "mcp_access" out, or submit with the capability of a job.',
    ),
  mcp_access_unknown: ({ server }: { server: string }) =>
    accessRefused(
      "mcp_access_unknown",
      `"mcp_access" has a token for "${server}", and "mcp_servers" names no such server with "auth": {"type": "job"}. Leave the token out, or name the server.`,
    ),
  mcp_access_none: ({ runId }: { runId: string }) =>
    conflict(
      "mcp_access_none",
      `Run ${runId} was submitted without "mcp_access" for these servers: there is nothing to renew.`,
    ),
  mcp_access_of_another: ({ runId }: { runId: string }) =>
    forbidden(
      `Run ${runId} was submitted by another CI run: only its own jobs renew its access to MCP servers.`,
    ),
} satisfies ProblemTable;

/** Found at a submission. */
export type ModelAccessRefusal =
  | RefusalOf<typeof modelAccessProblems, "model_access_needs_job" | "not_executed" | "wire_unsupported">
  | AccessPlaceRefusal
  | AccessLifeRefusal;

/** Of the service, whatever a token is for. */
export type AccessPlaceRefusal = RefusalOf<
  typeof modelAccessProblems,
  "service_insecure" | "secrets_key_missing"
>;

/** Found at a submission with tokens for MCP servers. */
export type ServerAccessRefusal =
  | RefusalOf<typeof modelAccessProblems, "mcp_access_needs_job" | "mcp_access_unknown">
  | AccessPlaceRefusal
  | AccessLifeRefusal;

export type RenewServerAccessRefusal =
  | RefusalOf<typeof modelAccessProblems, "mcp_access_none" | "mcp_access_of_another">
  | AccessLifeRefusal;

/** Found at a submission and at a renewal. */
export type AccessLifeRefusal = RefusalOf<typeof modelAccessProblems, "access_expired" | "access_ending">;

export type RenewAccessRefusal =
  | RefusalOf<typeof modelAccessProblems, "model_access_none" | "model_access_of_another">
  | AccessLifeRefusal;

function accessRefused(reason: ModelAccessReason, message: string): PublicProblem {
  return { status: 400, code: "model_access_refused", message, fields: { reason } };
}
