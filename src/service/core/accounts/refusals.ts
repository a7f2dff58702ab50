// Why a credential, a caller class or a change of plan is refused. Pure.

import type { TokenScope } from "../../../contract/oauth/scopes.ts";

export type AuthRefusal =
  | { readonly reason: "credential_missing" }
  | { readonly reason: "credential_malformed" }
  | { readonly reason: "credential_unknown" }
  | { readonly reason: "key_revoked" }
  | { readonly reason: "access_token_revoked" }
  | { readonly reason: "access_token_expired"; readonly expiredAt: number }
  | { readonly reason: "capability_revoked" }
  | { readonly reason: "capability_expired"; readonly expiredAt: number };

/** An access token that is not good for an operation, and all the scopes that the operation needs. */
export type ScopeRefusal = { readonly reason: "scope_needed"; readonly needed: readonly TokenScope[] };

/** What the caller's class may not do. */
export type ClassRefusal =
  | { readonly reason: "capability_needed" }
  | { readonly reason: "account_needed" }
  | { readonly reason: "link_reads_one_run" }
  | {
      readonly reason: "owner_needed";
      readonly what: string;
      readonly url: string;
      /** Where the owner approves this very request. Absent where nothing waits for that. */
      readonly approveUrl?: string;
    };

/** For the operator alone: no route answers it. */
export type PlanRefusal =
  | { readonly reason: "account_not_found"; readonly accountId: string }
  | { readonly reason: "sku_unknown"; readonly sku: string }
  | { readonly reason: "plan_not_subscribed"; readonly accountId: string };

/** An account's credits are shown to that account alone. */
export type CreditsRefusal = { readonly reason: "credits_of_another"; readonly userId: string };
