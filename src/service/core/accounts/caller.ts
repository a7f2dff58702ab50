// The caller of a request. Every use case that acts for a caller receives one.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { TokenScope } from "../../../contract/oauth/scopes.ts";
import type { Capability } from "../ci-jobs/capability.ts";
import type { AccessToken, CallerClass } from "./credential.ts";
import type { ScopeRefusal } from "./refusals.ts";

/** A CI job with a capability for one repository's agent. */
export type CiJobCaller = { readonly kind: "ci_job"; readonly capability: Capability };
/** The holder of an account's credential: its owner, or an AI client that acts for the owner. */
export type AccountCaller = {
  readonly kind: "account";
  readonly accountId: string;
  readonly callerClass: CallerClass;
  /** The access token of an application, for the acts that its scopes allow. None for keys and sessions, which have no scopes. */
  readonly accessToken?: AccessToken;
  /** The owner's name for the key. */
  readonly clientName?: string;
};
export type Caller = CiJobCaller | AccountCaller;

/** The prefix of the secrets of each caller class: of an AI client's keys, and of access tokens, which act for it too. */
export const keyPrefixes: Readonly<Record<CallerClass, string>> = { owner: "svc_sk_", ai_client: "svc_at_" };

/** Refuses an access token that is not good for all of what an operation needs. Keys, sessions and jobs have no scopes. */
export function needScopes(caller: Caller, needed: readonly TokenScope[]): Result<null, ScopeRefusal> {
  const granted = caller.kind === "account" ? caller.accessToken?.scopes : undefined;
  if (granted === undefined || needed.every((scope) => granted.includes(scope))) return ok(null);
  return refused({ reason: "scope_needed", needed });
}

/** True for the account's owner, not for an AI client that acts for the owner. */
export function isOwner(caller: Caller): boolean {
  return caller.kind === "account" && caller.callerClass === "owner";
}
