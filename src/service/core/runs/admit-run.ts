// Admits a run, in one transaction: named checks over a context that grows, in the order in which they
// refuse, and then one write.
// Why: docs/decisions/134-a-submission-is-named-checks.md

import { assertNever } from "../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { Agent } from "../agents/agent.ts";
import { findPolicyFault } from "../agents/ci-policy.ts";
import { findPlanFault } from "../agents/find-or-make-agent.ts";
import { mayUseAgent } from "../agents/reach-agent.ts";
import { findMissingCommit } from "../commits/held-source.ts";
import type { Core } from "../core.ts";
import { KEY_KEPT_MS } from "../idempotency/key-life.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import { findAccessFault } from "../model-access/find-access-fault.ts";
import { keepAccess } from "../model-access/kept-access.ts";
import { keepServerAccesses } from "../model-access/kept-server-access.ts";
import { workflowPrice } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { aboutRun, saidOf } from "./about-run.ts";
import { bestOfIn, findBestOfFault } from "./best-of.ts";
import {
  type BillingAccount,
  type FreeCredits,
  findBillingAccount,
  findFreeCredits,
  TransactionNeededError,
  UnpaidError,
} from "./billing-account.ts";
import { type ChosenCommit, chooseCommit } from "./choose-commit.ts";
import { settleSession } from "./continue-run.ts";
import { type DayCap, dayCapOf, reserveOfDay } from "./day-cap.ts";
import { expectedDelivery } from "./expected-delivery.ts";
import { findCostFault } from "./find-cost-fault.ts";
import { feeHold, findStarter, queuedRun } from "./new-run.ts";
import type { SubmitRefusal } from "./refusals.ts";
import { RemoteHeadNeededError } from "./remote-head.ts";
import { comparedOf, requestedInput } from "./requested-input.ts";
import { findRequestedSession, SessionKeyTakenError } from "./requested-session.ts";
import type { RunInput, RunRecord } from "./run-record.ts";
import type { AdmissionRequest, Submitted } from "./submission.ts";
import { findMcpFault, findOutputsFault, findTokensFault } from "./tools-fault.ts";
import { KeyTakenError, UndoneError } from "./undone-admission.ts";

const MICRO_PER_USD = 1_000_000;

type Asked = {
  readonly core: Core;
  readonly tx: StoreTransaction;
  readonly admission: AdmissionRequest;
  readonly now: number;
};
/** The caller may use the agent. */
type Reached = Asked & {
  readonly agent: Agent;
  /** Of a job that is admitted in one write. */
  readonly freeCredits: FreeCredits | null;
};
/** It asks for a run that nobody has made. */
type New = Reached & { readonly requestHash: string };
/** Nothing refuses it; what it works on and who pays is known. */
type Settled = New & {
  readonly sessionId: string | null;
  readonly paying: BillingAccount;
  readonly chosen: ChosenCommit | null;
  readonly runId: string;
  /** Null: no limit. */
  readonly maxCostMicroUsd: number | null;
  readonly dayCap?: RunInput["dayCap"] & object;
};

export async function admitRun(
  core: Core,
  tx: StoreTransaction,
  admission: AdmissionRequest,
): Promise<Result<Submitted, SubmitRefusal>> {
  const asked: Asked = { core, tx, admission, now: core.clock.now() };
  const reached = await reach(asked);
  if (!reached.ok) return reached;
  const { key } = admission;
  const requestHash = key === null ? "" : hashRequest(comparedOf(admission));
  const fresh: New = { ...reached.value, requestHash };
  // A run that the same key made before is the answer, whatever would refuse a new one.
  const earlier = await findEarlier(fresh);
  if (earlier !== null) return earlier;
  for (const check of Object.values(checks)) {
    const fault = await check(fresh);
    if (fault !== null) return refused(fault);
  }
  const session = await findRequestedSession(tx, { agent: fresh.agent, body: admission.body });
  if (!session.ok) return session;
  const sessionId = session.value;
  const maxCostMicroUsd = maxCostOf(fresh);
  const parked =
    sessionId === null
      ? null
      : await settleSession(core, tx, { agent: fresh.agent, sessionId, admission, maxCostMicroUsd });
  if (parked?.ok === false) return undone(parked);
  if (parked?.value.continued) return ok(await writeContinued(fresh, parked.value.continued));
  const settled = await settle(fresh, sessionId);
  if (!settled.ok) return parked === null ? settled : undone(settled);
  const submitted = await write(settled.value);
  return ok(parked === null ? submitted : { ...submitted, alsoEnded: parked.value.ended });
}

/** The session's run was changed before the refusal was known. */
function undone({ refusal }: { readonly refusal: SubmitRefusal }): never {
  throw new UndoneError(refusal);
}

/** The key of a submission that continues a parked run. */
async function writeContinued(
  { tx, admission, now, requestHash }: New,
  { id: runId, sessionId, lastSeq: continuedAfter }: RunRecord,
): Promise<Submitted> {
  const { agentId, key, alongside } = admission;
  await alongside?.(tx, { runId, sessionId, continuedAfter });
  const use = {
    agentId,
    key: key ?? "",
    now,
    runId,
    sessionId,
    requestHash,
    expiresAt: now + KEY_KEPT_MS,
    continuedAfter,
  };
  if (key !== null && !(await tx.idempotency.insert(use))) throw new KeyTakenError(key);
  return { runId, sessionId, isReplay: false, continuedAfter };
}

async function reach(asked: Asked): Promise<Result<Reached, SubmitRefusal>> {
  const { core, tx, admission } = asked;
  const { caller, agentId, isOneWrite = false } = admission;
  // Two reads that need nothing of each other are one message to the database.
  const [agent, freeCredits] = await Promise.all([
    tx.agents.find(agentId),
    isOneWrite ? findFreeCredits(core, tx, caller) : null,
  ]);
  if (agent === null) return refused({ reason: "agent_not_found", agentId });
  if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
  // The policy may have been set after the exchange, while the capability is still valid.
  const fault = caller.kind === "ci_job" ? findPolicyFault(agent, caller.capability.job) : null;
  return fault === null
    ? ok({ ...asked, agent, freeCredits })
    : refused({ reason: "policy_refused_since", ...fault });
}

/** The answer of the request's key; null where it makes a new run. */
async function findEarlier(asked: New): Promise<Result<Submitted, SubmitRefusal> | null> {
  const { tx, admission, requestHash, now } = asked;
  const { agentId, key, slot } = admission;
  if (key === null) return null;
  // Only here, where it is known that the caller may use the agent: nobody else may make its requests wait.
  if (!slot.take({ agentId, key })) return refused({ reason: "key_in_flight", key });
  const earlier = await tx.idempotency.find({ agentId, key, now });
  if (earlier === null) return null;
  if (!isSameRequest(earlier.requestHash, requestHash)) return refused({ reason: "key_reused", key });
  const { runId, sessionId, continuedAfter } = earlier;
  return ok({
    runId,
    sessionId,
    isReplay: true,
    ...(continuedAfter === undefined ? {} : { continuedAfter }),
  });
}

type Check = (asked: New) => Promise<SubmitRefusal | null> | SubmitRefusal | null;

/** In this order. Each says why there is no new run; null where it has nothing against it. */
const checks = {
  /** Locks the parent: a cancel of it either finds its child, or the child is refused. */
  async parentIsAtWork({ tx, admission: { parent } }) {
    if (parent === undefined) return null;
    const run = await tx.runs.lock(parent.runId);
    const isAtWork = run !== null && run.fence === parent.fence && run.status === "running";
    return isAtWork ? null : { reason: "parent_ending" };
  },

  agentTakesWork({ agent, admission: { agentId } }) {
    return agent.retiredAt === null ? null : { reason: "agent_retired", agentId };
  },

  accessIsGood({ core, agent, admission: { body } }) {
    return body.model_access === undefined
      ? null
      : findAccessFault(core, { agent, access: body.model_access });
  },

  costCanBeBounded(asked) {
    const { core, agent, admission } = asked;
    // What a run reserves of the day is read and written under its agent's lock.
    if (capOf(asked) !== null && admission.isOneWrite === true) throw new TransactionNeededError();
    if (maxCostOf(asked) === null && capOf(asked) === null) return null;
    const broughtModel = admission.body.model_access?.model ?? null;
    const raced = bestOfIn(admission.body)?.models ?? [];
    for (const model of [admission.fork?.model ?? agent.model, ...raced]) {
      const fault = findCostFault(core, { agent: { ...agent, model }, broughtModel });
      if (fault !== null) return fault;
    }
    return null;
  },

  serversAreAllowed({ core, agent, admission: { body } }) {
    return findMcpFault(core.policy, { agent, body }) ?? findTokensFault(core, body);
  },

  outputsAreAllowed({ core, agent, admission: { body } }) {
    return findOutputsFault(core.policy, { agent, body });
  },

  attemptsAreAllowed({ core, agent, admission: { body, workspace } }) {
    return findBestOfFault(core.policy, { agent, body, isInWorkspace: workspace !== undefined });
  },

  async modelsMayBeAsked({ core, tx, agent, admission: { body } }) {
    const raced = bestOfIn(body)?.models ?? [];
    if (raced.length === 0) return null;
    const account = agent.accountId === null ? null : await tx.accounts.find(agent.accountId);
    for (const id of raced) {
      const model = core.rates.models.find((one) => one.id === id);
      if (model === undefined) return { reason: "model_unknown", model: id };
      const fault = findPlanFault(core, { account: account ?? { plan: "registered_free" as const }, model });
      if (fault !== null) return fault;
    }
    return null;
  },

  async queueHasRoom({ core, tx }) {
    const allowed = core.policy.maxQueuedRuns;
    // Nobody is refused because of a guess.
    if (core.dispatch.waiting() >= allowed) core.dispatch.recount(await tx.queue.count());
    const queued = core.dispatch.waiting();
    return queued >= allowed ? { reason: "capacity_reached", queued, allowed } : null;
  },
} satisfies Readonly<Record<string, Check>>;

function capOf({ agent, admission: { caller, parent } }: Reached): DayCap | null {
  // A job's delegated runs have the job as their caller, too.
  return parent !== undefined && caller.kind === "account" ? null : dayCapOf(caller, agent);
}

function maxCostOf({ core, admission: { body } }: Asked): number | null {
  const { max_cost_usd: dollars } = body;
  return dollars === undefined ? core.policy.maxCostMicroUsd : Math.round(dollars * MICRO_PER_USD);
}

async function settle(asked: New, sessionId: string | null): Promise<Result<Settled, SubmitRefusal>> {
  const { core, tx, agent, freeCredits, admission, now } = asked;
  const { caller, body, pullRequest, isOneWrite = false } = admission;
  const paying = await findBillingAccount(core, tx, {
    agent,
    job: caller.kind === "ci_job" ? caller.capability.job : null,
    isOneWrite,
    freeCredits,
  });
  if (!paying.ok) return paying;
  const missing = await findMissingCommit(core, tx, {
    agent,
    caller,
    pullRequest,
    bringsModel: body.model_access !== undefined,
  });
  if (missing !== null) return refused(missing);
  const chosen = await chooseOwn(asked, sessionId);
  if (!chosen.ok) return chosen;
  const runId = core.random.uuid(now);
  const cap = capOf(asked);
  const maxCostMicroUsd = maxCostOf(asked);
  const ofDay =
    cap === null
      ? ok({ maxCostMicroUsd })
      : await reserveOfDay(core, tx, { agent, runId, cap, maxCostMicroUsd });
  if (!ofDay.ok) return ofDay;
  return ok({
    ...asked,
    sessionId,
    paying: paying.value,
    chosen: chosen.value,
    runId,
    ...ofDay.value,
  });
}

/** The commit of an account's own run. A workspace has its own files, whatever repository the agent is of. */
async function chooseOwn(
  { core, tx, agent, admission, now }: New,
  sessionId: string | null,
): Promise<Result<ChosenCommit | null, SubmitRefusal>> {
  const { caller, workspace, remoteHead, fork, isOneWrite = false } = admission;
  if (caller.kind !== "account" || workspace !== undefined) return ok(null);
  const known = remoteHead === undefined ? {} : { remoteHead };
  const asked = fork === undefined ? { agent, sessionId } : { agent, sessionId, like: fork.source };
  const chosen = await chooseCommit(core, tx, { ...asked, ...known });
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
  return chosen;
}

function inputOf({ admission, chosen, runId, maxCostMicroUsd, dayCap }: Settled): RunInput {
  const { caller, body, messages, pullRequest, workflow, workspace, traceparent, canBeAnswered, fork } =
    admission;
  const bestOf = bestOfIn(body);
  return {
    messages,
    maxTurnTokens: 0,
    ...requestedInput(body, runId),
    ...(bestOf === null ? {} : { bestOf }),
    ...(maxCostMicroUsd === null ? {} : { maxCostMicroUsd }),
    ...(dayCap === undefined ? {} : { dayCap }),
    ...(canBeAnswered === true ? { hasThread: true } : {}),
    ...(fork === undefined ? {} : { forkOf: { runId: fork.runId, turn: fork.turn } }),
    ...(fork === undefined || fork.model === null ? {} : { model: fork.model }),
    job: caller.kind === "ci_job" ? caller.capability.job : null,
    ...(pullRequest === null ? {} : { pullRequest }),
    ...(chosen === null ? {} : { commit: chosen.commit }),
    ...(chosen?.pullRequest === undefined ? {} : { pullRequest: chosen.pullRequest }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

async function write(settled: Settled): Promise<Submitted> {
  const { core, tx, admission, now, paying, runId, requestHash } = settled;
  const { agentId, body, key, origin = "user", workflow, parent, alongside } = admission;
  const { model_access: access, mcp_access: accesses, session_key: sessionKey } = body;
  const price = workflow === undefined ? null : workflowPrice(core.rates);
  const sessionId = settled.sessionId ?? core.random.uuid(now);
  const input = inputOf(settled);
  const run = queuedRun({
    id: runId,
    agentId,
    sessionId,
    origin,
    price,
    now,
    parentRunId: parent?.runId ?? null,
    billingAccount: paying.wallet,
    modelBilling: access === undefined ? null : "repository",
    delivery: expectedDelivery(admission),
    about: aboutRun(input, saidOf(admission)),
    startedBy: await findStarter(tx, admission),
    source: input,
  });
  if (settled.sessionId === null && sessionKey !== undefined) {
    const name = { agentId, key: sessionKey, sessionId, createdAt: now };
    if (!(await tx.sessions.insertKey(name))) throw new SessionKeyTakenError(sessionKey);
  }
  await alongside?.(tx, { runId, sessionId });
  const { secretKeys } = core;
  if (access !== undefined && secretKeys !== null) {
    const { access_token: token, expires_at } = access;
    await keepAccess({ ...core, secretKeys }, tx, { runId, token, expiresAt: Date.parse(expires_at) });
  }
  if (accesses !== undefined && secretKeys !== null)
    await keepServerAccesses({ ...core, secretKeys }, tx, { runId, accesses });
  if (parent === undefined) await paying.lock();
  const admitted = await tx.runs.admit({
    run,
    input,
    hold: feeHold(core, { billingAccount: run.billingAccount, runId, price }),
    key:
      key === null
        ? null
        : { agentId, key, now, runId, sessionId, requestHash, expiresAt: now + KEY_KEPT_MS },
  });
  switch (admitted) {
    case "admitted":
      return { runId, sessionId, isReplay: false, billingAccount: run.billingAccount };
    case "key_taken":
      throw new KeyTakenError(key ?? "");
    case "unpaid":
      throw new UnpaidError(paying.refuse);
    default:
      return assertNever(admitted);
  }
}
