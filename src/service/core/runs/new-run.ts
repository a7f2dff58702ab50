// The beginning of every run: the hold of its fee, and its record.

import type { ModelBilling, RunOrigin } from "../../../contract/runs/run.ts";
import type { Caller } from "../accounts/caller.ts";
import { starterOfPerson } from "../accounts/person.ts";
import { placeOf, type RunCommit, type RunSource } from "../commits/run-commit.ts";
import type { Core } from "../core.ts";
import type { Hold } from "../money/posting.ts";
import { feeOf, type RunPrice } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunDelivery, RunRecord, ShownCommit } from "./run-record.ts";

/** The hold of a run's fee. */
export function feeHold(
  core: Core,
  { price, ...run }: { billingAccount: string; runId: string; price: RunPrice | null },
): Hold {
  return holdOf(core, { ...run, microUsd: feeOf(price) });
}

/** Some of a billing account's credits, to be held for a run. */
export function holdOf(
  core: Core,
  amount: { billingAccount: string; runId: string; microUsd: number },
): Hold {
  const at = core.clock.now();
  return { id: core.random.uuid(at), at, ...amount };
}

/** A run as it is before a worker takes it. `parentRunId` is null unless a run delegated it. */
export function queuedRun(options: {
  id: string;
  agentId: string;
  sessionId: string;
  origin: RunOrigin;
  parentRunId: string | null;
  billingAccount: string;
  price: RunPrice | null;
  modelBilling: ModelBilling | null;
  now: number;
  delivery?: RunDelivery | null;
  about?: Pick<RunRecord, "request" | "about">;
  startedBy?: string | undefined;
  /** Absent: it has neither a job nor a commit. */
  source?: Pick<RunSource, "job" | "commit">;
}): RunRecord {
  const { id, agentId, sessionId, origin, parentRunId, billingAccount, price, modelBilling, now } = options;
  const { delivery = null, about = { request: null, about: null } } = options;
  return {
    id,
    agentId,
    sessionId,
    status: "queued",
    origin,
    parentRunId,
    billingAccount,
    price,
    modelBilling,
    holdMicroUsd: feeOf(price),
    submittedAt: now,
    startedAt: null,
    heartbeatAt: null,
    endedAt: null,
    cause: null,
    retryable: false,
    stopReason: null,
    usage: null,
    grossMicroUsd: 0,
    refundedMicroUsd: 0,
    refundReason: null,
    refundWithheldReason: null,
    checks: null,
    lastSeq: 0,
    fence: 0,
    ...about,
    delivery,
    ...(options.startedBy === undefined ? {} : { startedBy: options.startedBy }),
    ...(options.source === undefined ? {} : sourceFields(options.source)),
  };
}

/** Who starts a run, for its record: of a delegated one who has started its parent. Undefined: nobody who is known. */
export async function findStarter(
  tx: StoreTransaction,
  { caller, parent }: { readonly caller: Caller; readonly parent?: { readonly runId: string } },
): Promise<string | undefined> {
  if (parent !== undefined) return (await tx.runs.find(parent.runId))?.startedBy;
  if (caller.kind === "account")
    return caller.personId === null ? undefined : starterOfPerson(caller.personId);
  const { provider, actorId } = caller.capability.job;
  return actorId === null ? undefined : `${provider}:${actorId}`;
}

/** What the record says of it: a run's input is deleted some day. */
function sourceFields({
  job,
  commit,
}: Pick<RunSource, "job" | "commit">): Pick<RunRecord, "commit" | "repository"> {
  const place = placeOf({ job, ...(commit === undefined ? {} : { commit }) });
  return {
    ...(commit === undefined ? {} : { commit: shownCommit(commit) }),
    ...(place === null ? {} : { repository: `${place.provider}:${place.repository.name}` }),
  };
}

function shownCommit({ from, place: { sha, ref } }: RunCommit): ShownCommit {
  return { from, sha, ref };
}
