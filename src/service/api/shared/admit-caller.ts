// Admission of callers, by their rates: a known caller by its own, everybody else by that of their address.

import { type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret } from "../../../base/secret-token.ts";
import { CAPABILITY_PREFIX } from "../../../contract/ci/exchange.ts";
import { type Caller, keyPrefixes } from "../../core/accounts/caller.ts";
import type { AuthRefusal } from "../../core/accounts/refusals.ts";
import { authenticate } from "../../core/authentication/authenticate.ts";
import type { Core } from "../../core/core.ts";
import type { RateRefusal } from "../../core/limits/refusals.ts";
import { findRunViewer } from "../../core/run-views/run-views.ts";
import type { StreamReader } from "../../core/runs/read-run.ts";
import { RUN_VIEW_PREFIX } from "../../core/runs/run-view.ts";

export type AdmitRefusal = AuthRefusal | RateRefusal;

/**
 * Finds out who holds this bearer credential, as `authenticate` does, and takes one request from their rate. What is no
 * credential is charged to the address; so is a guess, apart, before the store is asked. One that was good of late is
 * no guess: a neighbour behind the same address does it no harm.
 */
export async function admitCaller(
  core: Core,
  request: { bearer: string | null; address: string },
): Promise<Result<Caller, AdmitRefusal>> {
  const { bearer, address } = request;
  if (bearer === null || !isWellFormed(bearer)) {
    const excess = chargeAddress(core, address);
    return excess === null ? await authenticate(core, bearer) : refused(excess);
  }
  const hash = hashSecret(bearer);
  const known = core.limits.bucketOfCredential(hash);
  const guess = { scope: "address", key: `guess:${address}`, perMinute: core.policy.addressRatePerMinute };
  const excess = take(core, known === undefined ? guess : bucketOf(core, known));
  if (excess !== null) return refused(excess);
  const caller = await authenticate(core, bearer);
  if (!caller.ok) {
    core.limits.forgetCredential(hash);
    return caller;
  }
  core.limits.rememberCredential(hash, callerKey(caller.value));
  if (known !== undefined) return caller;
  core.limits.giveBack(guess.key);
  const late = chargeCaller(core, caller.value);
  return late === null ? caller : refused(late);
}

/** As `admitCaller`, and takes the token of a link to a run, too: for the socket, where such a reader is told apart. */
export async function admitReader(
  core: Core,
  request: { bearer: string; address: string },
): Promise<Result<StreamReader, AdmitRefusal>> {
  const { bearer, address } = request;
  if (!bearer.startsWith(RUN_VIEW_PREFIX)) return await admitCaller(core, request);
  const excess = chargeAddress(core, address);
  return excess === null ? await findRunViewer(core, bearer) : refused(excess);
}

/** Takes one request from what a caller may ask. Null when it may. */
export function chargeCaller(core: Core, caller: StreamReader): RateRefusal | null {
  return take(core, bucketOf(core, callerKey(caller)));
}

/** Gives a request back that cost the service next to nothing. */
export function refundCaller(core: Core, caller: Caller): void {
  core.limits.giveBack(callerKey(caller));
}

/** Takes one request from what strangers at an address may ask. Null when they may. */
export function chargeAddress(core: Core, address: string): RateRefusal | null {
  const perMinute = core.policy.addressRatePerMinute;
  return take(core, { scope: "address", key: `address:${address}`, perMinute });
}

/** Takes one request from what an operator may ask. Null when they may. */
export function chargeOperator(core: Core, sessionId: string): RateRefusal | null {
  return take(core, bucketOf(core, `operator:${sessionId}`));
}

/** Whom a caller counts for: its account; a job, its repository's agent; the readers of a link, its run. */
export function callerKey(caller: StreamReader): string {
  switch (caller.kind) {
    case "account":
      return `account:${caller.accountId}`;
    case "ci_job":
      return `agent:${caller.capability.agentId}`;
    case "run_view":
      return `run:${caller.view.runId}`;
  }
}

/** Takes one exchange of a job's token from what an address may ask. Null when it may. */
export function chargeExchange(
  core: Core,
  { address, perMinute }: { address: string; perMinute: number },
): RateRefusal | null {
  return take(core, { scope: "address", key: `exchange:${address}`, perMinute });
}

type Bucket = { readonly scope: string; readonly key: string; readonly perMinute: number };

function bucketOf(core: Core, key: string): Bucket {
  return { scope: "caller", key, perMinute: core.policy.ratePerMinute };
}

function take(core: Core, { scope, ...bucket }: Bucket): RateRefusal | null {
  const retryAfterMs = core.limits.take({ ...bucket, now: core.clock.monotonic() });
  return retryAfterMs === 0 ? null : { reason: "rate_limited", scope, retryAfterMs };
}

function isWellFormed(bearer: string): boolean {
  const prefixes = [CAPABILITY_PREFIX, ...Object.values(keyPrefixes)];
  return prefixes.some((prefix) => isWellFormedSecret(prefix, bearer));
}
