// Why the access to a model that a job brings is not taken, or not renewed. Pure.

import type { FederatingProvider } from "../../../contract/models/providers.ts";

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
