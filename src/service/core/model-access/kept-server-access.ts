// The access tokens for MCP servers that a run's job brought: sealed together when they are kept, opened for each request that needs one.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import { isObject, parseObject } from "../../../base/json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, type SealingKeys, seal, unseal } from "../../../base/sealed-text.ts";
import type { ServerAccesses } from "../../../contract/runs/mcp-auth.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { findLifeFault, findPlaceFault, keptUntil } from "./find-access-fault.ts";
import type { AccessLifeRefusal, AccessPlaceRefusal } from "./refusals.ts";
import { serverSecretsOf } from "./store-port.ts";

/** What is stored of them with the run's input. The tokens are in `runSecrets` of the store. */
export type RunServerAccess = {
  /** The run that has the secrets: this one, or the one that delegated it. */
  readonly heldBy: string;
  readonly servers: readonly string[];
};

type KeptToken = { readonly token: string; readonly expiresAt: number };

type NewAccesses = { readonly runId: string; readonly accesses: ServerAccesses };

/** Why the tokens are not taken; null where they are. */
export function findServerAccessFault(
  core: Pick<Core, "policy" | "secretKeys" | "clock">,
  accesses: ServerAccesses,
): AccessPlaceRefusal | AccessLifeRefusal | null {
  return findPlaceFault(core) ?? findLivesFault(core.clock.now(), accesses);
}

export function findLivesFault(now: number, accesses: ServerAccesses): AccessLifeRefusal | null {
  for (const { expires_at } of Object.values(accesses)) {
    const fault = findLifeFault(now, Date.parse(expires_at));
    if (fault !== null) return fault;
  }
  return null;
}

/** Keeps tokens for a run; of a server that has one, that which ends later. The caller has locked the run, or makes it. */
export async function keepServerAccesses(
  core: Pick<Core, "clock" | "random"> & { readonly secretKeys: SealingKeys },
  tx: StoreTransaction,
  { runId, accesses }: NewAccesses,
): Promise<void> {
  const { clock, random, secretKeys } = core;
  const holder = serverSecretsOf(runId);
  const kept = await tx.runSecrets.find(holder);
  const opened = kept === null ? null : unseal(kept.sealed, { keys: secretKeys, boundTo: holder });
  // What another key has sealed is lost: the job brings each of them again.
  const tokens = new Map(opened?.ok === true ? readTokens(opened.value) : []);
  for (const [server, { access_token: token, expires_at }] of Object.entries(accesses)) {
    const expiresAt = keptUntil(clock.now(), Date.parse(expires_at));
    const earlier = tokens.get(server);
    if (earlier === undefined || earlier.expiresAt <= expiresAt) tokens.set(server, { token, expiresAt });
  }
  const nonce = random.bytes(SEAL_NONCE_BYTES);
  const text = JSON.stringify(Object.fromEntries(tokens));
  const sealed = seal(text, { key: secretKeys.current, nonce, boundTo: holder });
  const last = Math.max(...[...tokens.values()].map(({ expiresAt }) => expiresAt));
  await tx.runSecrets.keep({ runId: holder, sealed, expiresAt: last });
}

/** The token of a server that a run may use now, or why there is none: one sentence for the model and the run's readers. */
export async function readServerAccess(
  core: Pick<Core, "clock" | "store" | "secretKeys">,
  { access, server }: { readonly access: RunServerAccess | undefined; readonly server: string },
): Promise<Result<string, { readonly reason: string }>> {
  if (access === undefined || !access.servers.includes(server))
    return refused({ reason: "the run's job brought no access token for it" });
  const holder = serverSecretsOf(access.heldBy);
  const kept = await core.store.transact((tx) => tx.runSecrets.find(holder), { isOneWrite: true });
  const { secretKeys: keys } = core;
  if (kept === null)
    return refused({ reason: "the access token that the job brought is not there any more" });
  const opened = keys === null ? null : unseal(kept.sealed, { keys, boundTo: holder });
  if (opened === null || !opened.ok)
    return refused({ reason: "this service cannot read the access token: it was sealed with another key" });
  const found = new Map(readTokens(opened.value)).get(server);
  if (found === undefined) return refused({ reason: "the run's job brought no access token for it" });
  if (found.expiresAt <= core.clock.now())
    return refused({
      reason: "the access token that the job brought has ended, and was not renewed: keep the job running",
    });
  return ok(found.token);
}

function readTokens(text: string): readonly (readonly [string, KeptToken])[] {
  return Object.entries(parseObject(text) ?? {}).flatMap(([server, value]) => {
    const { token, expiresAt } = isObject(value) ? (value as Readonly<Record<string, unknown>>) : {};
    return typeof token === "string" && typeof expiresAt === "number"
      ? [[server, { token, expiresAt }] as const]
      : [];
  });
}
