// POST /v1/agents/{agentID}/runs: makes one durable run, or returns the one that the same key made before.

import { assertNever } from "../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { entriesOf } from "../../../contract/egress.ts";
import type { Unkeyed } from "../../../contract/fields.ts";
import type { ModelAccess } from "../../../contract/runs/model-access.ts";
import type { RunOrigin } from "../../../contract/runs/run.ts";
import type { Message, SubmitRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Caller } from "../accounts/caller.ts";
import { findPolicyFault } from "../agents/ci-policy.ts";
import { mayUseAgent } from "../agents/reach-agent.ts";
import { requestedPullRequest } from "../ci/pull-request.ts";
import { findMissingCommit } from "../commits/held-source.ts";
import type { PullRequestHead } from "../commits/run-commit.ts";
import type { Core } from "../core.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import { findAccessFault } from "../model-access/find-access-fault.ts";
import { keepAccess, type RunModelAccess } from "../model-access/kept-access.ts";
import { accountWallet, freeCreditsAccount } from "../money/ledger.ts";
import { workflowPrice } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RemoteHead } from "../repository-access/remotes.ts";
import { findBillingAccount, TransactionNeededError, UnpaidError } from "./billing-account.ts";
import { type ChosenCommit, chooseCommit } from "./choose-commit.ts";
import { reserveOfDay } from "./day-cap.ts";
import { findCostFault } from "./find-cost-fault.ts";
import { type KeySlot, KeysInFlight } from "./keys-in-flight.ts";
import { findMcpFault } from "./mcp-fault.ts";
import { feeHold, queuedRun } from "./new-run.ts";
import type { SubmitRefusal } from "./refusals.ts";
import { RemoteHeadNeededError, withRemoteHead } from "./remote-head.ts";
import { renewAccess } from "./renew-access.ts";
import { findRequestedSession, SessionKeyTakenError, withSessionKey } from "./requested-session.ts";
import type { RunInput, RunWorkspace, WorkflowExecution } from "./run-record.ts";

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
  readonly body: Unkeyed<SubmitRunRequest>;
  readonly idempotencyKey: string | null;
  /** Default: "user". */
  readonly origin?: RunOrigin;
  /** What the message was made from. The key then holds for the workflow and its input, whichever version is active. */
  readonly workflow?: WorkflowExecution;
  /** Somebody reads it who can answer, though no key names its session: it may end with a question. */
  readonly canBeAnswered?: boolean;
  /** Where in a workspace it works. Its row beside the run is written `alongside`. */
  readonly workspace?: RunWorkspace;
  /** The run that delegates it: it ends with that one at the latest, and counts towards no plan's concurrent runs. */
  readonly parent?: { readonly runId: string; readonly fence: number };
  /** Further writes of the transaction that makes the run. A throw undoes all of it and is rethrown. */
  readonly alongside?: (tx: StoreTransaction, run: { runId: string; sessionId: string }) => Promise<void>;
};

/**
 * Queues a run and holds its price, in one transaction with the use of its idempotency key. With a key it is safe to
 * repeat for 24 hours.
 */
export class RunSubmitter {
  readonly #core: Core;
  /** One for all APIs of this node: a request of one finds the key of another's in flight. */
  readonly #keysInFlight = new KeysInFlight();

  constructor(core: Core) {
    this.#core = core;
  }

  async submit(submission: Submission): Promise<Result<Submitted, SubmitRefusal>> {
    const { dispatch, signals, store } = this.#core;
    const { idempotencyKey: key } = submission;
    const messages = messagesOf(submission.body);
    if (messages === null) return refused({ reason: "message_missing" });
    const { session_id, session_key } = submission.body;
    if (session_id !== undefined && session_key !== undefined) {
      return refused({ reason: "session_named_twice" });
    }
    const pullRequest = requestedPullRequest(submission.caller, submission.body.pull_request);
    if (!pullRequest.ok) return pullRequest;
    const access = submission.body.model_access;
    if (access !== undefined && submission.caller.kind !== "ci_job")
      return refused({ reason: "model_access_needs_job" });
    // Read here: a transaction may run within another request's span.
    const traceparent = this.#core.tracer.here() ?? undefined;
    const slot = this.#keysInFlight.newSlot();
    try {
      const admission = { ...submission, messages, key, slot, pullRequest: pullRequest.value, traceparent };
      const lane = laneOf(this.#core, submission.caller);
      const admit = async (admission: Admission) =>
        (await this.#admitInOneWrite(admission)) ??
        (await withSessionKey(() => store.transact((tx) => admitRun(this.#core, tx, admission), { lane })));
      const submitted = await withRemoteHead(this.#core, (head) => admit({ ...admission, ...head }));
      if (submitted.ok && !submitted.value.isReplay) {
        dispatch.enqueue(submitted.value.runId);
        // Nobody waits for a session that did not exist.
        if (session_id !== undefined || session_key !== undefined) signals.publish(submitted.value.sessionId);
      }
      if (submitted.ok && submitted.value.isReplay) await this.#renewBrought(submission, submitted.value);
      return submitted;
    } catch (cause) {
      if (cause instanceof KeyTakenError) return refused({ reason: "key_in_flight", key: cause.key });
      if (cause instanceof SessionKeyTakenError) {
        return refused({ reason: "session_key_in_flight", key: cause.key });
      }
      if (cause instanceof UnpaidError) return refused(await store.transact(cause.explain));
      throw cause;
    } finally {
      slot.release();
    }
  }

  /** The repeated request may have a newer token than the first one had. What hinders that is no matter of the replay. */
  async #renewBrought({ caller, body }: Submission, { runId }: Submitted): Promise<void> {
    const access = body.model_access;
    if (access === undefined || caller.kind !== "ci_job") return;
    await renewAccess(this.#core, { caller, runId, access });
  }

  /** Most submissions read, and write once at the end. Null, and nothing done, where it takes a transaction. */
  async #admitInOneWrite(admission: Admission): Promise<Result<Submitted, SubmitRefusal> | null> {
    const { alongside, body, parent } = admission;
    if (
      alongside !== undefined ||
      parent !== undefined ||
      body.session_id !== undefined ||
      body.session_key !== undefined
    )
      return null;
    if (body.model_access !== undefined) return null;
    try {
      return await this.#core.store.transact(
        (tx) => admitRun(this.#core, tx, { ...admission, isOneWrite: true }),
        { isOneWrite: true },
      );
    } catch (cause) {
      if (cause instanceof TransactionNeededError) return null;
      throw cause;
    }
  }
}

/** The credits that the caller's runs are most likely paid from: who spends them waits for one another. */
function laneOf(core: Core, caller: Caller): string {
  if (caller.kind === "account") return accountWallet(caller.accountId);
  const { issuer, repository } = caller.capability.job;
  return freeCreditsAccount({ issuer, ownerId: repository.ownerId }, core.clock.now());
}

/** Another node took the key after it was read: everything is undone, and the next try returns that node's run. */
class KeyTakenError extends Error {
  readonly key: string;

  constructor(key: string) {
    super("The idempotency key was taken meanwhile.");
    this.key = key;
  }
}

type Admission = Omit<Submission, "idempotencyKey"> & {
  readonly messages: readonly Message[];
  readonly key: string | null;
  readonly slot: KeySlot;
  readonly pullRequest: PullRequestHead | null;
  readonly traceparent: string | undefined;
  /** What the code host has said. Absent until it is asked. */
  readonly remoteHead?: RemoteHead;
  /** Whether a TransactionNeededError is thrown before any write but the last. */
  readonly isOneWrite?: boolean;
};

async function admitRun(
  core: Core,
  tx: StoreTransaction,
  admission: Admission,
): Promise<Result<Submitted, SubmitRefusal>> {
  const { caller, agentId, body, messages, key, slot, pullRequest, traceparent } = admission;
  const { origin = "user", workflow, canBeAnswered = false, isOneWrite = false } = admission;
  const { workspace, parent } = admission;
  const price = workflow === undefined ? null : workflowPrice(core.rates);
  const now = core.clock.now();
  const agent = await tx.agents.find(agentId);
  if (agent === null) return refused({ reason: "agent_not_found", agentId });
  if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
  // The policy may have been set after the exchange, while the capability is still valid.
  const fault = caller.kind === "ci_job" ? findPolicyFault(agent, caller.capability.job) : null;
  if (fault !== null) return refused({ reason: "policy_refused_since", ...fault });

  const requestHash =
    key === null ? "" : hashRequest(comparedOf({ messages, body, workflow, workspace: admission.workspace }));
  if (key !== null) {
    // Only here, where it is known that the caller may use the agent: nobody else may make its requests wait.
    if (!slot.take({ agentId, key })) return refused({ reason: "key_in_flight", key });
    const earlier = await tx.idempotency.find({ agentId, key, now });
    if (earlier !== null) {
      if (!isSameRequest(earlier.requestHash, requestHash)) return refused({ reason: "key_reused", key });
      return ok({ runId: earlier.runId, sessionId: earlier.sessionId, isReplay: true });
    }
  }
  // A run that the same key made before is still the answer.
  if (parent !== undefined && !(await mayDelegate(tx, parent))) return refused({ reason: "parent_ending" });
  if (agent.retiredAt !== null) return refused({ reason: "agent_retired", agentId });
  const access = body.model_access;
  const accessFault = access === undefined ? null : findAccessFault(core, { agent, access });
  if (accessFault !== null) return refused(accessFault);
  const maxCostMicroUsd = maxCostOf(body) ?? core.policy.maxCostMicroUsd;
  const capUsd = caller.kind === "ci_job" ? agent.ciPolicy?.max_usd_per_day : undefined;
  // What a run reserves of the day is read and written under its agent's lock.
  if (capUsd !== undefined && isOneWrite) throw new TransactionNeededError();
  const costFault =
    maxCostMicroUsd === null && capUsd === undefined
      ? null
      : findCostFault(core, { agent, broughtModel: access?.model ?? null });
  if (costFault !== null) return refused(costFault);

  const mcpFault = findMcpFault(core.policy, { agent, body });
  if (mcpFault !== null) return refused(mcpFault);

  const allowed = core.policy.maxQueuedRuns;
  // Nobody is refused because of a guess.
  if (core.dispatch.waiting() >= allowed) core.dispatch.recount(await tx.queue.count());
  const queued = core.dispatch.waiting();
  if (queued >= allowed) return refused({ reason: "capacity_reached", queued, allowed });

  const session = await findRequestedSession(tx, { agent, body });
  if (!session.ok) return session;

  const paying = await findBillingAccount(core, tx, { agent, caller, isOneWrite });
  if (!paying.ok) return paying;

  const missing = await findMissingCommit(core, tx, {
    ...{ agent, caller, pullRequest },
    bringsModel: body.model_access !== undefined,
  });
  if (missing !== null) return refused(missing);
  // A workspace has its own files, whatever repository the agent is of.
  const isOwn = caller.kind === "account" && workspace === undefined;
  const { remoteHead } = admission;
  const chosen = isOwn
    ? await chooseCommit(core, tx, {
        ...{ agent, sessionId: session.value },
        ...(remoteHead === undefined ? {} : { remoteHead }),
      })
    : ok(null);
  if (!chosen.ok) {
    const { refusal } = chosen;
    if (refusal.reason === "remote_head_needed") throw new RemoteHeadNeededError(agent, refusal.access);
    return refused(refusal);
  }
  if (chosen.value !== null && chosen.value.held !== null) {
    if (isOneWrite) throw new TransactionNeededError();
    // Nothing of it is deleted for a while.
    await tx.packs.touch({ ids: chosen.value.held.packs.map(({ id }) => id), now });
  }

  const runId = core.random.uuid(now);
  const ofDay =
    capUsd === undefined
      ? ok(maxCostMicroUsd)
      : await reserveOfDay(core, tx, { agent, runId, capUsd, maxCostMicroUsd });
  if (!ofDay.ok) return ofDay;
  const sessionId = session.value ?? core.random.uuid(now);
  const job = caller.kind === "ci_job" ? caller.capability.job : null;
  const { max_turn_tokens: maxTurnTokens = 0, output_schema: outputSchema } = body;
  const input = {
    messages,
    maxTurnTokens,
    ...(ofDay.value === null ? {} : { maxCostMicroUsd: ofDay.value }),
    ...(body.time_limit_seconds === undefined ? {} : { timeLimitMs: body.time_limit_seconds * 1000 }),
    ...(body.session_key === undefined && !canBeAnswered ? {} : { hasThread: true as const }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(body.setup === undefined ? {} : { setup: body.setup }),
    job,
    ...(pullRequest === null ? {} : { pullRequest }),
    ...(chosen.value === null ? {} : worksOn(chosen.value)),
    ...(workflow === undefined ? {} : { workflow }),
    ...(access === undefined ? {} : { modelAccess: broughtBy(runId, access) }),
    ...(body.egress === undefined ? {} : { egress: entriesOf(body.egress) }),
    ...(body.mcp_servers === undefined ? {} : { mcpServers: body.mcp_servers }),
    ...(workspace === undefined ? {} : { workspace }),
    traceparent,
  };
  const run = queuedRun({
    id: runId,
    agentId,
    sessionId,
    origin,
    parentRunId: parent?.runId ?? null,
    billingAccount: paying.value.wallet,
    price,
    modelBilling: access === undefined ? null : "repository",
    now,
    ...(chosen.value === null ? {} : { commit: chosen.value.commit }),
  });
  if (session.value === null && body.session_key !== undefined) {
    const name = { agentId, key: body.session_key, sessionId, createdAt: now };
    if (!(await tx.sessions.insertKey(name))) throw new SessionKeyTakenError(body.session_key);
  }
  await admission.alongside?.(tx, { runId, sessionId });
  const { secretKeys } = core;
  if (access !== undefined && secretKeys !== null) {
    const { access_token: token, expires_at } = access;
    await keepAccess({ ...core, secretKeys }, tx, { runId, token, expiresAt: Date.parse(expires_at) });
  }
  if (parent === undefined) await paying.value.lock();
  const admitted = await tx.runs.admit({
    run,
    input,
    hold: feeHold(core, { billingAccount: run.billingAccount, runId, price }),
    key:
      key === null
        ? null
        : { agentId, key, now, runId, sessionId, requestHash, expiresAt: now + IDEMPOTENCY_MS },
  });
  switch (admitted) {
    case "admitted":
      return ok({ runId, sessionId, isReplay: false });
    case "key_taken":
      throw new KeyTakenError(key ?? "");
    case "unpaid":
      throw new UnpaidError(paying.value.refuse);
    default:
      return assertNever(admitted);
  }
}

/** Locks it: a cancel of the parent either finds its child, or the child is refused. */
async function mayDelegate(
  tx: StoreTransaction,
  { runId, fence }: NonNullable<Submission["parent"]>,
): Promise<boolean> {
  const run = await tx.runs.lock(runId);
  return run !== null && run.fence === fence && run.status === "running";
}

const MICRO_PER_USD = 1_000_000;

function maxCostOf({ max_cost_usd: dollars }: Submission["body"]): number | null {
  return dollars === undefined ? null : Math.round(dollars * MICRO_PER_USD);
}

function worksOn({ commit, pullRequest }: ChosenCommit): Pick<RunInput, "commit" | "pullRequest"> {
  return { commit, ...(pullRequest === undefined ? {} : { pullRequest }) };
}

/** What is stored of the access with the run's input: not the token. */
function broughtBy(runId: string, { provider, model, expires_at }: ModelAccess): RunModelAccess {
  return { provider, model, heldBy: runId, firstExpiresAt: Date.parse(expires_at) };
}

/** The messages of the request; null when it has neither `message` nor `messages`. */
function messagesOf(body: Submission["body"]): readonly Message[] | null {
  if (body.messages !== undefined) return body.messages;
  return body.message === undefined || body.message === "" ? null : [{ role: "user", content: body.message }];
}

/** Equal for two requests that ask for the same. A new field is left out where a request has none, so that old keys go on. */
function comparedOf({
  messages,
  body,
  workflow,
  workspace,
}: Pick<Admission, "messages" | "body" | "workflow" | "workspace">): unknown {
  const { session_id, session_key, new_session, max_turn_tokens, output_schema, pull_request } = body;
  const { model_access: access, setup } = body;
  return {
    // The message of an execution changes with the active version, its request does not.
    said: workflow === undefined ? messages : { workflow: workflow.id, input: workflow.input },
    session_id,
    session_key,
    new_session: new_session === true,
    max_turn_tokens: max_turn_tokens ?? 0,
    max_cost_usd: body.max_cost_usd,
    output_schema,
    setup,
    pull_request,
    // A worker gets its id with its run.
    workspace: workspace === undefined ? undefined : { ...workspace, workerId: null },
    egress: body.egress === undefined ? undefined : entriesOf(body.egress),
    mcp_servers: body.mcp_servers,
    // The token is another for each request.
    model_access: access === undefined ? undefined : { provider: access.provider, model: access.model },
  };
}
