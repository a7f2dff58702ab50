// From what an owner chose to what a fetch shows to the code host.

import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, seal, unseal } from "../../../base/sealed-text.ts";
import type { Agent, AgentRepository } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { CommitUnreachableRefusal } from "./refusals.ts";
import type { RemoteCredential, RemoteHead, RemoteRefusal } from "./remotes.ts";
import { boundTo, type StoredAccess } from "./stored-access.ts";

/** A submission waits for it. */
const HEAD_WITHIN_MS = 30_000;

export function credentialOf(
  { access }: Pick<Core, "access">,
  stored: StoredAccess,
): Result<RemoteCredential, RemoteRefusal> {
  if (stored.kind === "github_app") return ok({ kind: "github_app" });
  const keys = access?.keys ?? null;
  if (keys === null)
    return closed("this service has no key that opens the deploy key: its operator sets RUN_SECRETS_KEY");
  const opened = unseal(stored.sealed, { keys, boundTo: boundTo(stored.agentId) });
  if (opened.ok) return ok({ kind: "deploy_key", privateKey: opened.value });
  return closed(
    opened.refusal.reason === "key_unknown"
      ? `the deploy key was sealed by another RUN_SECRETS_KEY (${opened.refusal.keyId}) than this service has: its operator sets that one as RUN_SECRETS_PREVIOUS_KEY, or the owner removes the access and chooses it anew`
      : "the deploy key cannot be opened: the owner removes the access and chooses it anew",
  );
}

/** Null where the owner chose none, or what was chosen cannot be opened on this node. */
export async function findCredential(core: Core, agentId: string): Promise<RemoteCredential | null> {
  if (core.access === null) return null;
  const stored = await core.store.committed.repositoryAccess.find(agentId);
  const credential = stored === null ? null : credentialOf(core, stored);
  return credential?.ok === true ? credential.value : null;
}

/** Asks the code host for the newest commit of the default branch. Within no transaction. */
export async function findRemoteHead(
  core: Core,
  { agent, access: stored }: { readonly agent: Agent; readonly access: StoredAccess },
): Promise<Result<RemoteHead, CommitUnreachableRefusal>> {
  const { repository } = agent;
  if (core.access === null || repository === null) throw new Error("The agent has no repository to ask for.");
  const credential = credentialOf(core, stored);
  if (!credential.ok) return unreachable(repository, credential.refusal);
  const signal = AbortSignal.timeout(HEAD_WITHIN_MS);
  try {
    const remote = { repository, credential: credential.value };
    const head = await core.access.remotes.findHead(remote, signal);
    return head.ok ? head : unreachable(repository, head.refusal);
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const detail = `the code host did not answer within ${HEAD_WITHIN_MS / 1000} s; try again later`;
    return unreachable(repository, { detail, isPassing: true });
  }
}

/** Seals by the current key what the previous one has sealed, so that the operator can leave that one out. */
export async function resealAccesses(core: Core): Promise<void> {
  const keys = core.access?.keys ?? null;
  if (keys === null || keys.previous === null) return;
  const { current, previous } = keys;
  for (const { agentId } of await core.store.committed.repositoryAccess.listSealedBy(previous.id)) {
    await core.store.transact(async (tx) => {
      await tx.agents.lock(agentId);
      const stored = await tx.repositoryAccess.find(agentId);
      if (stored === null || stored.kind !== "deploy_key") return;
      const opened = unseal(stored.sealed, { keys, boundTo: boundTo(agentId) });
      if (!opened.ok) return;
      const nonce = core.random.bytes(SEAL_NONCE_BYTES);
      const sealed = seal(opened.value, { key: current, nonce, boundTo: boundTo(agentId) });
      await tx.repositoryAccess.put({ ...stored, sealed });
    });
  }
}

function closed(detail: string): { readonly ok: false; readonly refusal: RemoteRefusal } {
  return refused({ detail, isPassing: false });
}

function unreachable(
  { name }: AgentRepository,
  refusal: RemoteRefusal,
): { readonly ok: false; readonly refusal: CommitUnreachableRefusal } {
  return refused({ reason: "commit_unreachable", repository: name, ...refusal });
}
