// POST /v1/agents: makes an agent by name, or returns the existing one.

import { ok, refused } from "../../../base/result.ts";
import type { CreateAgentRequest } from "../../../contract/agents/agent.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { lockCurrentAccount } from "../accounts/subscriptions.ts";
import type { Core } from "../core.ts";
import { KEY_KEPT_MS } from "../idempotency/key-life.ts";
import { type OnceResult, onceResult } from "../idempotency/once-result.ts";
import type { KeyReusedRefusal } from "../idempotency/refusals.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { type AgentOrder, type CreatedAgent, findOrMakeAgent } from "./find-or-make-agent.ts";
import type { CreateAgentRefusal } from "./refusals.ts";

type AgentCreation = {
  readonly caller: Caller;
  readonly body: CreateAgentRequest;
  /** An independent agent needs one; any other may have one. */
  readonly idempotencyKey: string | null;
};

/**
 * Makes an agent of the caller's account. With `if_exists: return` an agent of the same name, whatever its kind, is
 * given instead, and racing requests make one. With a key it is safe to repeat for 24 hours.
 */
export async function createAgent(
  core: Core,
  creation: AgentCreation,
): Promise<OnceResult<CreatedAgent, ClassRefusal | CreateAgentRefusal | KeyReusedRefusal>> {
  const { caller, body, idempotencyKey: key } = creation;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  if (body.kind === "independent" && key === null) return refused({ reason: "agent_key_missing" });
  const model = body.model === undefined ? null : core.rates.models.find(({ id }) => id === body.model);
  if (model === undefined) return refused({ reason: "model_unknown", model: body.model ?? "" });

  return await core.store.transact(async (tx) => {
    const account = await lockCurrentAccount(core, tx, caller.accountId);
    if (account === null) throw new Error(`There is no account ${caller.accountId}, though it has a key.`);
    if (key === null) {
      return onceResult(await findOrMakeAgent(core, tx, { account, body, model }), { isReplay: false });
    }
    return await onceByKey(core, tx, { account, body, model, key });
  });
}

/** The slot of the keys of an account's creations: those of an agent's runs are stored under the agent's id. */
export function creationSlot(accountId: string): string {
  return `account:${accountId}`;
}

/** The caller holds the account's lock, so that no other request uses its keys at the same time. */
async function onceByKey(
  core: Core,
  tx: StoreTransaction,
  { key, ...admission }: AgentOrder & { readonly key: string },
): Promise<OnceResult<CreatedAgent, CreateAgentRefusal | KeyReusedRefusal>> {
  const now = core.clock.now();
  const slot = { agentId: creationSlot(admission.account.id), key, now };
  const requestHash = hashRequest(comparedOf(admission.body));
  const earlier = await tx.idempotency.find(slot);
  if (earlier !== null) {
    if (!isSameRequest(earlier.requestHash, requestHash)) return refused({ reason: "key_reused", key });
    const agent = await tx.agents.find(earlier.runId);
    if (agent === null) throw new Error(`There is no agent ${earlier.runId}, though a key made it.`);
    return onceResult(ok({ agent, isExisting: true }), { isReplay: true });
  }
  const created = await findOrMakeAgent(core, tx, admission);
  if (!created.ok) return created;
  const { id } = created.value.agent;
  const use = { ...slot, runId: id, sessionId: id, requestHash, expiresAt: now + KEY_KEPT_MS };
  if (!(await tx.idempotency.insert(use))) throw new Error("The idempotency key was taken under the lock.");
  return onceResult(created, { isReplay: false });
}

/** Equal for two requests that ask for the same, defaults included. */
function comparedOf(body: CreateAgentRequest): unknown {
  const { user_id: _notRead, ...rest } = body;
  return { config: {}, if_exists: "error", ...rest };
}
