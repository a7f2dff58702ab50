// The parts that all calls of one request share.

import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import { type AccountCaller, needScopes } from "../../core/accounts/caller.ts";
import type { ScopeRefusal } from "../../core/accounts/refusals.ts";
import type { Core } from "../../core/core.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import type { Waits } from "./waits.ts";

export type CallParts = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  /** An AI client, whatever credential the request has. */
  readonly caller: AccountCaller;
  readonly requestId: string;
  readonly waits: Waits;
  /** Aborts when the client's connection ends: on the older wire the library does not tell the call. */
  readonly gone: AbortSignal;
  /** Tells the endpoint that the request's access token is not good for this: the answer is HTTP's, so that the client asks for more. */
  lacksScopes(refusal: ScopeRefusal): void;
};

/** Whether the caller's token is good for all of this. Where it is not, the request is refused as a whole. */
export function mayUse(parts: CallParts, scopes: readonly ApiScope[]): boolean {
  const granted = needScopes(parts.caller, scopes);
  if (!granted.ok) parts.lacksScopes(granted.refusal);
  return granted.ok;
}
