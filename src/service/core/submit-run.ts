// POST /v1/agents/{agentID}/runs: one durable run, or the one that the same key made before.

import { createHash } from "node:crypto";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Message, RunOrigin, SubmitRunRequest } from "../../contract/run.ts";
import { type Caller, mayUseAgent } from "./caller.ts";
import { makeClaimUrl } from "./claim-url.ts";
import type { Core } from "./core.ts";
import { ensureFreeCredits, isFree } from "./free-credits.ts";
import type { JobIdentity } from "./job-identity.ts";
import { accountWallet, freeCreditsResetAt, RUN_FEE_MICRO_USD } from "./ledger.ts";
import { holdFee, queuedRun } from "./new-run.ts";
import type { StoreTransaction } from "./ports/store.ts";
import type { Agent } from "./records.ts";
import type { SubmitRefusal } from "./refusal.ts";
import { lockCurrentAccount } from "./subscriptions.ts";

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export type Submitted = {
  readonly runId: string;
  readonly sessionId: string;
  /** True when the same key made this run before. */
  readonly isReplay: boolean;
};

export type Submission = {
  readonly caller: Caller;
  readonly agentId: string;
  readonly body: SubmitRunRequest;
  /** From the header, which wins over the body's. */
  readonly idempotencyKey: string | null;
  /** "user" unless told. */
  readonly origin?: RunOrigin;
  /** What else belongs to the transaction that makes the run. A throw undoes all of it and is thrown on. */
  readonly alongside?: (tx: StoreTransaction, run: { runId: string; threadId: string }) => Promise<void>;
};

/**
 * Queues a run and holds its price, in one transaction with the use of its idempotency key. With a key it is safe to
 * repeat for 24 hours.
 */
export class RunSubmitter {
  readonly #core: Core;
  readonly #keysInFlight = new Set<string>();

  constructor(core: Core) {
    this.#core = core;
  }

  async submit(submission: Submission): Promise<Result<Submitted, SubmitRefusal>> {
    const key = submission.idempotencyKey ?? submission.body.idempotency_key ?? null;
    if (key === null) return await this.#submit(submission, null);
    const slot = `${submission.agentId}:${key}`;
    if (this.#keysInFlight.has(slot)) return refused({ reason: "key_in_flight", key });
    this.#keysInFlight.add(slot);
    try {
      return await this.#submit(submission, key);
    } finally {
      this.#keysInFlight.delete(slot);
    }
  }

  async #submit(submission: Submission, key: string | null): Promise<Result<Submitted, SubmitRefusal>> {
    const { dispatch, signals, store } = this.#core;
    const messages = messagesOf(submission.body);
    if (messages === null) return refused({ reason: "message_missing" });
    // Asked here: the transaction may run on behalf of others, too.
    const traceparent = this.#core.tracer.here() ?? undefined;
    try {
      const submitted = await store.transact((tx) =>
        admitRun(this.#core, tx, { ...submission, messages, key, traceparent }),
      );
      if (submitted.ok && !submitted.value.isReplay) {
        dispatch.enqueue(submitted.value.runId);
        signals.publish(submitted.value.sessionId);
      }
      return submitted;
    } catch (cause) {
      if (cause instanceof KeyTakenError) return refused({ reason: "key_in_flight", key: cause.key });
      if (cause instanceof UnpaidError) return refused(await store.transact(cause.explain));
      throw cause;
    }
  }
}

/** Another node took the key since we looked: everything is undone, and the next try gets that node's run. */
class KeyTakenError extends Error {
  readonly key: string;

  constructor(key: string) {
    super("The idempotency key was taken meanwhile.");
    this.key = key;
  }
}

/** Nobody pays: everything is undone, and said in a transaction of its own. */
class UnpaidError extends Error {
  readonly explain: (tx: StoreTransaction) => Promise<SubmitRefusal>;

  constructor(explain: (tx: StoreTransaction) => Promise<SubmitRefusal>) {
    super("Nobody pays for the run.");
    this.explain = explain;
  }
}

type Admission = Omit<Submission, "idempotencyKey"> & {
  readonly messages: readonly Message[];
  readonly key: string | null;
  readonly traceparent: string | undefined;
};

async function admitRun(
  core: Core,
  tx: StoreTransaction,
  { caller, agentId, body, messages, key, traceparent, origin = "user", alongside }: Admission,
): Promise<Result<Submitted, SubmitRefusal>> {
  const now = core.clock.now();
  const agent = await tx.findAgent(agentId);
  if (agent === null) return refused({ reason: "agent_not_found", agentId });
  if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
  if (agent.retiredAt !== null) return refused({ reason: "agent_retired", agentId });

  const requestHash = hashRequest(messages, body);
  const earlier = key === null ? null : await tx.findIdempotentRun({ agentId, key, now });
  if (earlier !== null) {
    if (earlier.requestHash !== requestHash) return refused({ reason: "key_reused", key: key ?? "" });
    return ok({ runId: earlier.runId, sessionId: earlier.threadId, isReplay: true });
  }

  const queued = core.dispatch.waiting();
  if (queued >= core.policy.maxQueuedRuns) {
    return refused({ reason: "capacity_reached", queued, allowed: core.policy.maxQueuedRuns });
  }

  const session = body.session_id === undefined ? null : await tx.findSession(body.session_id);
  if (body.session_id !== undefined && session?.agentId !== agentId) {
    return refused({ reason: "session_not_found", sessionId: body.session_id });
  }

  const paying = await findPayer(core, tx, { agent, caller });
  if (!paying.ok) return paying;

  const runId = core.random.uuid(now);
  const threadId = session?.id ?? core.random.uuid(now);
  const job = caller.kind === "ci_job" ? caller.capability.job : null;
  const { max_turn_tokens: maxTurnTokens = 0, output_schema: outputSchema } = body;
  const input = {
    messages,
    maxTurnTokens,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    job,
    traceparent,
  };
  const run = queuedRun({
    id: runId,
    agentId,
    threadId,
    origin,
    parentRunId: null,
    payer: paying.value.wallet,
    now,
  });
  await tx.insertRun(run, input);
  await alongside?.(tx, { runId, threadId });
  if (key !== null) {
    const use = { agentId, key, now, runId, threadId, requestHash, expiresAt: now + IDEMPOTENCY_MS };
    if (!(await tx.insertIdempotentRun(use))) throw new KeyTakenError(key);
  }
  // Last: whoever else spends from this wallet waits from here to the commit, and no longer.
  await paying.value.hold(runId);
  return ok({ runId, sessionId: threadId, isReplay: false });
}

type Payer = {
  readonly wallet: string;
  /** Holds the price of a run. Throws an UnpaidError. */
  hold(runId: string): Promise<void>;
};

/** Who is to pay, or why nobody does. */
async function findPayer(
  core: Core,
  tx: StoreTransaction,
  { agent, caller }: { agent: Agent; caller: Caller },
): Promise<Result<Payer, SubmitRefusal>> {
  if (agent.accountId !== null) return ok(accountPays(core, tx, agent.accountId));
  if (caller.kind !== "ci_job")
    throw new TypeError(`Agent ${agent.id} has no account, and no job asks for it.`);
  return await freeCreditsPay(core, tx, { agentId: agent.id, job: caller.capability.job });
}

function accountPays(core: Core, tx: StoreTransaction, accountId: string): Payer {
  const wallet = accountWallet(accountId);
  const hold = async (runId: string) => {
    const account = await lockCurrentAccount(core, tx, accountId);
    if (account === null) throw new Error(`There is no account ${accountId}, though it owns an agent.`);
    const allowed = core.rates.plans[account.plan].maxConcurrentRuns;
    // The run that asks is in the transaction already.
    const inFlight = allowed === null ? 0 : (await tx.countUnfinishedRuns(accountId)) - 1;
    if (allowed !== null && inFlight >= allowed) {
      throw new UnpaidError(async () => ({ reason: "concurrency_reached", inFlight, allowed }));
    }
    if (await holdFee(core, tx, { payer: wallet, runId })) return;
    throw new UnpaidError(async () => ({ reason: "balance_ended", plan: account.plan }));
  };
  return { wallet, hold };
}

/** Free credits are for what everybody can see; a private repository needs a payer with a name. */
async function freeCreditsPay(
  core: Core,
  tx: StoreTransaction,
  { agentId, job }: { agentId: string; job: JobIdentity },
): Promise<Result<Payer, SubmitRefusal>> {
  const unpaid = async (
    reason: "credits_ended" | "repository_private",
    refusing: StoreTransaction,
  ): Promise<SubmitRefusal> => ({
    reason,
    repository: job.repository.name,
    resetsAt: freeCreditsResetAt(core.clock.now()),
    claimUrl: await makeClaimUrl(core, refusing, agentId),
  });
  if (!isFree(core.policy, job)) return refused(await unpaid("repository_private", tx));
  const { account: wallet, balance } = await ensureFreeCredits(core, tx, job);
  if (balance < RUN_FEE_MICRO_USD) return refused(await unpaid("credits_ended", tx));
  const hold = async (runId: string) => {
    if (await holdFee(core, tx, { payer: wallet, runId })) return;
    throw new UnpaidError((refusing) => unpaid("credits_ended", refusing));
  };
  return ok({ wallet, hold });
}

/** The conversation to send; null when the request has neither `message` nor `messages`. */
function messagesOf(body: SubmitRunRequest): readonly Message[] | null {
  if (body.messages !== undefined) return body.messages;
  return body.message === undefined ? null : [{ role: "user", content: body.message }];
}

/** What makes two requests the same: all that they ask for, not how it is spelled. */
function hashRequest(messages: readonly Message[], body: SubmitRunRequest): string {
  const asked = [
    messages.map(({ role, content, tool_call_id, parts }) => [
      role,
      content,
      tool_call_id ?? null,
      (parts ?? []).map(({ type, path, mime, w, h }) => [
        type,
        path ?? null,
        mime ?? null,
        w ?? null,
        h ?? null,
      ]),
    ]),
    body.session_id ?? null,
    body.max_turn_tokens ?? 0,
    body.output_schema ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}
