// The access to an agent's repository: read by an account's clients, chosen and taken away by its owner.
// Why: docs/decisions/122-access-by-the-owners-choice.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, seal } from "../../../base/sealed-text.ts";
import type { ChosenAccessKind, RepositoryAccess } from "../../../contract/repository-access.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent, AgentRepository } from "../agents/agent.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { mayUseAgent, reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal, AgentRetiredRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { DEPLOY_KEY_BYTES, fingerprintOf, makeDeployKey } from "./deploy-key.ts";
import { credentialOf } from "./open-access.ts";
import type { AccessUnavailableRefusal } from "./refusals.ts";
import { boundTo, type StoredAccess } from "./stored-access.ts";

type Query = { readonly caller: AccountCaller; readonly agentId: string };
type Change = Query & { readonly requestId: string };
type Refusal = AgentRefusal | AgentRetiredRefusal | ClassRefusal | AccessUnavailableRefusal;
type Shown = Promise<Result<RepositoryAccess, Refusal>>;

const NO_REPOSITORY = "This agent has no repository.";
const NOT_HERE = "This service works on a checkout of its own, and fetches nothing.";
const NO_KEY =
  "This service has no key to seal a deploy key with. Its operator sets RUN_SECRETS_KEY, the same on every node.";

export async function readRepositoryAccess(core: Core, query: Query): Shown {
  const agent = await reachAgent(core, query);
  if (!agent.ok) return agent;
  const access = await core.store.committed.repositoryAccess.find(query.agentId);
  return ok(toShown(core, { agent: agent.value, access }));
}

/** Makes a key pair unless there is one. Safe to repeat. */
export async function chooseRepositoryAccess(
  core: Core,
  { kind, ...change }: Change & { readonly kind: ChosenAccessKind },
): Shown {
  return await changeAccess(core, change, async (tx, agent) => {
    const { retiredAt, repository, id: agentId } = agent;
    if (retiredAt !== null) return refused({ reason: "agent_retired", agentId });
    const before = await tx.repositoryAccess.find(agentId);
    if (before?.kind === kind) return ok(null);
    const fault = findAccessFault(core, { repository, kind });
    if (fault !== null) return unavailable(fault);
    const made = makeAccess(core, { agentId, kind });
    if (!made.ok) return made;
    await tx.repositoryAccess.put(made.value);
    return ok(kind);
  });
}

/** Why the owner cannot choose it, and who does what; null where they can. */
export function findAccessFault(
  { access }: Pick<Core, "access">,
  { repository, kind }: { readonly repository: AgentRepository | null; readonly kind: ChosenAccessKind },
): string | null {
  if (access === null) return NOT_HERE;
  if (repository === null) return NO_REPOSITORY;
  const where = access.remotes.locate(repository, kind);
  if (!where.ok) return where.refusal;
  return kind === "deploy_key" && access.keys === null ? NO_KEY : null;
}

/** Deletes the key. Safe to repeat. */
export async function removeRepositoryAccess(core: Core, change: Change): Shown {
  return await changeAccess(core, change, async (tx, { id }) => {
    const before = await tx.repositoryAccess.find(id);
    await tx.repositoryAccess.delete(id);
    return ok(before === null ? null : "none");
  });
}

/** `apply` returns what the audit trail says of it; null where nothing changed. */
async function changeAccess(
  core: Core,
  { caller, agentId, requestId }: Change,
  apply: (tx: StoreTransaction, agent: Agent) => Promise<Result<string | null, Refusal>>,
): Shown {
  const found = await reachAgent(core, { caller, agentId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "choose how an agent's repository is read", url });
  }
  return await core.store.transact(async (tx): Shown => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    // It may have been released in the meantime.
    if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
    const outcome = await apply(tx, agent);
    if (!outcome.ok) return outcome;
    if (outcome.value !== null) {
      const act = { action: "repository_access" as const, outcome: outcome.value };
      await auditAct(core, tx, { ...act, by: actorOf(caller), agent, requestId });
    }
    return ok(toShown(core, { agent, access: await tx.repositoryAccess.find(agentId) }));
  });
}

function makeAccess(
  core: Core,
  { agentId, kind }: { readonly agentId: string; readonly kind: ChosenAccessKind },
): Result<StoredAccess, AccessUnavailableRefusal> {
  const createdAt = core.clock.now();
  if (kind === "github_app") return ok({ agentId, kind, createdAt });
  const keys = core.access?.keys ?? null;
  if (keys === null) return unavailable(NO_KEY);
  const made = makeDeployKey(core.random.bytes(DEPLOY_KEY_BYTES), `agent-service ${agentId}`);
  const nonce = core.random.bytes(SEAL_NONCE_BYTES);
  const sealed = seal(made.privateKey, { key: keys.current, nonce, boundTo: boundTo(agentId) });
  return ok({ agentId, kind, createdAt, publicKey: made.publicKey, sealed });
}

/** The access as its readers see it. */
export function toShown(
  core: Core,
  { agent, access }: { readonly agent: Agent; readonly access: StoredAccess | null },
): RepositoryAccess {
  const { id: agent_id, repository } = agent;
  if (access === null || repository === null) return { agent_id, kind: "none" };
  const where = core.access?.remotes.locate(repository, access.kind);
  const opened = credentialOf(core, access);
  const fault = where?.ok === false ? where.refusal : opened.ok ? null : opened.refusal.detail;
  const key =
    access.kind === "deploy_key"
      ? { public_key: access.publicKey, fingerprint: fingerprintOf(access.publicKey) }
      : {};
  return {
    agent_id,
    kind: access.kind,
    created_at: new Date(access.createdAt).toISOString(),
    ...key,
    ...(where?.ok === true ? { url: where.value } : {}),
    ...(fault === null ? {} : { fault }),
  };
}

function unavailable(detail: string): { readonly ok: false; readonly refusal: AccessUnavailableRefusal } {
  return refused({ reason: "repository_access_unavailable", detail });
}
