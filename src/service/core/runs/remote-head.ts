// Asks the code host between two tries of a submission: a transaction waits for no network.

import type { Result } from "../../../base/result.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import { findRemoteHead } from "../repository-access/open-access.ts";
import type { CommitUnreachableRefusal } from "../repository-access/refusals.ts";
import type { RemoteHead } from "../repository-access/remotes.ts";
import type { StoredAccess } from "../repository-access/stored-access.ts";

/** Undoes a try: nothing was written, and whatever else could refuse the submission has not. */
export class RemoteHeadNeededError extends Error {
  readonly agent: Agent;
  readonly access: StoredAccess;

  constructor(agent: Agent, access: StoredAccess) {
    super("The code host has to be asked first.");
    this.agent = agent;
    this.access = access;
  }
}

/** Tries, and once more with what the code host says where the first try throws a RemoteHeadNeededError. */
export async function withRemoteHead<Value, Refusal>(
  core: Core,
  submit: (head: { readonly remoteHead?: RemoteHead }) => Promise<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal | CommitUnreachableRefusal>> {
  try {
    return await submit({});
  } catch (cause) {
    if (!(cause instanceof RemoteHeadNeededError)) throw cause;
    const head = await findRemoteHead(core, cause);
    return head.ok ? await submit({ remoteHead: head.value }) : head;
  }
}
