// Continues a parked run: it is given what it waited for, and to the next worker.
// Why: docs/decisions/141-a-run-is-parked.md

import { assertNever } from "../../../base/assert-never.ts";
import { canonicalJson } from "../../../base/canonical-json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { ResumeRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Agent } from "../agents/agent.ts";
import { findPolicyFault } from "../agents/ci-policy.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import { RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { findBillingAccount, UnpaidError } from "./billing-account.ts";
import { dayCapOfRun, reserveOfDay } from "./day-cap.ts";
import type { CancelledRuns } from "./end-run.ts";
import { expectedDelivery } from "./expected-delivery.ts";
import { endParked } from "./park-run.ts";
import { findRun } from "./read-run.ts";
import type { ResumeRefusal, RunRefusal, SubmitRefusal } from "./refusals.ts";
import { sealedContinuation } from "./run-journal.ts";
import type { ParkedState, RunDelivery, RunInput, RunRecord } from "./run-record.ts";
import type { AdmissionRequest, Submitted } from "./submission.ts";

declare module "../core.ts" {
  interface Core {
    /** Hooks of other nouns where a parked run is about to go on: why it may not now, and null where it may. */
    readonly onRunContinues: readonly RunContinues[];
  }
}

/** Part of the transaction, which holds the run's lock. */
export type RunContinues = (
  tx: StoreTransaction,
  run: { readonly runId: string; readonly input: RunInput },
) => Promise<ResumeRefusal | null>;

const MICRO_PER_USD = 1_000_000;

/** What a parked run is given. */
type Given = {
  /** Null: nothing is said. */
  readonly message: string | null;
  /** Of the whole run. Null: as it was. */
  readonly maxCostMicroUsd: number | null;
  /** Of the whole run. Null: as it was. */
  readonly maxTokens: number | null;
};

/** As a request says it. */
export function givenBy({
  message,
  max_cost_usd: dollars,
  max_turn_tokens: tokens,
}: ResumeRunRequest): Given {
  return {
    message: message ?? null,
    maxCostMicroUsd: dollars === undefined ? null : Math.round(dollars * MICRO_PER_USD),
    maxTokens: tokens ?? null,
  };
}

type Continuing = {
  readonly run: RunRecord;
  readonly parked: ParkedState;
  readonly given: Given;
};

/** Limits of time and of turns begin anew where somebody continues it. */
type ContinuedBy = "somebody" | "itself";

/** POST /v1/agents/{agentID}/runs/{runID}/resume. */
export async function resumeRun(
  core: Core,
  request: {
    caller: Caller;
    agentId: string;
    runId: string;
    given: Given;
    /** Written with it. The run is as it was parked. What it throws undoes all of it. */
    alongside?: (tx: StoreTransaction, run: RunRecord) => Promise<void>;
  },
): Promise<Result<Submitted, RunRefusal | SubmitRefusal>> {
  const { caller, agentId, runId, given } = request;
  const found = await findRun(core, request);
  if (!found.ok) return found;
  try {
    const continued = await core.store.transact(
      async (tx): Promise<Result<RunRecord, RunRefusal | SubmitRefusal>> => {
        const run = await tx.runs.lock(runId);
        if (run === null) return refused({ reason: "run_not_found", runId });
        if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
        const agent = await tx.agents.find(agentId);
        if (agent === null || agent.retiredAt !== null) return refused({ reason: "agent_retired", agentId });
        const fault = caller.kind === "ci_job" ? findPolicyFault(agent, caller.capability.job) : null;
        if (fault !== null) return refused({ reason: "policy_refused_since", ...fault });
        if (run.parked === undefined) return refused({ reason: "run_not_parked", runId });
        const job = jobOf(caller);
        const resumed = await continueParked(core, tx, { run, parked: run.parked, given, agent, job });
        if (!resumed.ok) return resumed;
        await request.alongside?.(tx, run);
        return ok(run);
      },
    );
    if (!continued.ok) return continued;
    announceContinued(core, runId);
    const { sessionId, lastSeq: continuedAfter } = continued.value;
    return ok({ runId, sessionId, isReplay: false, continuedAfter });
  } catch (cause) {
    if (cause instanceof UnpaidError) return refused(await core.store.transact(cause.explain));
    throw cause;
  }
}

/** After the commit. */
export function announceContinued(core: Core, runId: string): void {
  core.dispatch.requeue(runId);
  core.signals.publish(runId);
}

/** Continues a run that the caller has locked. After a refusal, or an UnpaidError, the transaction has to be undone. */
export async function continueParked(
  core: Core,
  tx: StoreTransaction,
  continuing: Continuing & {
    readonly agent: Agent;
    /** The job that asks for it, or has asked for the run. Null: an account does. */
    readonly job: JobIdentity | null;
    /** Default: somebody does. */
    readonly by?: ContinuedBy;
    /** Null: no job is to report what becomes of the results. */
    readonly delivery?: RunDelivery | null;
  },
): Promise<Result<null, SubmitRefusal>> {
  const { run, parked, given, agent, job, by = "somebody", delivery = null } = continuing;
  const missing = findMissing(continuing);
  if (missing !== null) return refused(missing);
  const runId = run.id;
  // It counts among the runs in flight again, and whoever pays has to have something left.
  const paying = await findBillingAccount(core, tx, { agent, job, isOneWrite: false, freeCredits: null });
  if (!paying.ok) return paying;
  await paying.value.lock();
  if (parked.reason === "credits") {
    const balance = (await tx.ledger.findBalance(run.billingAccount)) ?? 0;
    if (balance < RUN_FEE_MICRO_USD) return refused({ reason: "credits_not_added", runId });
  }
  const input = await tx.runs.findInput(runId);
  const entry =
    input === null
      ? null
      : await sealedContinuation(core, tx, {
          runId,
          given: {
            message: given.message,
            workedMs: parked.workedMs,
            ...(by === "itself" ? { isByItself: true } : {}),
          },
        });
  if (input === null || entry === null) return refused({ reason: "run_not_parked", runId });
  for (const continues of core.onRunContinues) {
    const fault = await continues(tx, { runId, input });
    if (fault !== null) return refused(fault);
  }
  const raised = raisedInput(input, { parked, given, by });
  const { startedBy } = run;
  const cap = await dayCapOfRun(tx, { agent, startedBy, isOfJob: input.job !== null });
  if (cap === null) await tx.runs.updateInput(runId, raised);
  else {
    const { maxCostMicroUsd = null, ...others } = raised;
    const spentMicroUsd = parked.usage.budget?.costMicroUsd ?? 0;
    const asked = { agent, runId, cap, maxCostMicroUsd, spentMicroUsd };
    const ofDay = await reserveOfDay(core, tx, asked);
    if (!ofDay.ok) return ofDay;
    await tx.runs.updateInput(runId, { ...others, ...ofDay.value });
  }
  // Whatever an earlier job has reported was of the run as far as it had come.
  await tx.runs.update(runId, { parked: null, stopReason: null, delivery });
  await tx.journal.append(entry);
  await tx.queue.release(runId);
  return ok(null);
}

function jobOf(caller: Caller): JobIdentity | null {
  return caller.kind === "ci_job" ? caller.capability.job : null;
}

/** What the run waits for, and was not given. */
function findMissing({ run, parked, given }: Continuing): ResumeRefusal | null {
  const runId = run.id;
  switch (parked.reason) {
    case "question":
      return given.message === null ? { reason: "answer_missing", runId } : null;
    case "max_cost":
      return raises(given.maxCostMicroUsd, parked.usage.budget?.maxCostMicroUsd)
        ? null
        : { reason: "cost_not_raised", runId, maxMicroUsd: parked.usage.budget?.maxCostMicroUsd ?? 0 };
    case "max_tokens":
      return raises(given.maxTokens, parked.usage.budget?.maxTokens)
        ? null
        : { reason: "tokens_not_raised", runId, maxTokens: parked.usage.budget?.maxTokens ?? 0 };
    case "max_turns":
    case "time_limit":
    case "credits":
    case "day_cap":
    case "provider_unavailable":
      return null;
    default:
      return assertNever(parked);
  }
}

function raises(given: number | null, limit: number | null | undefined): boolean {
  return given !== null && given > (limit ?? 0);
}

/** No limit is lowered. Where somebody continues it, turns and time begin anew. The limit of cost is what the run asks for, whatever a cap a day has left of it. */
function raisedInput(
  { maxCostMicroUsd, dayCap, retried: _before, ...input }: RunInput,
  { parked, given, by }: Pick<Continuing, "parked" | "given"> & { readonly by: ContinuedBy },
): RunInput {
  const asked = dayCap === undefined ? (maxCostMicroUsd ?? null) : dayCap.askedMicroUsd;
  const raised = asked === null && dayCap === undefined ? null : given.maxCostMicroUsd;
  const cost = raised === null ? asked : Math.max(asked ?? 0, raised);
  return {
    ...input,
    maxTurnTokens: Math.max(input.maxTurnTokens, given.maxTokens ?? 0),
    ...(cost === null ? {} : { maxCostMicroUsd: cost }),
    ...(by === "itself" ? { retried: parked } : { uncountedMs: parked.workedMs }),
  };
}

/** A submission in a session that has a parked run. */
type SessionRequest = {
  readonly agent: Agent;
  readonly sessionId: string;
  readonly admission: AdmissionRequest;
  /** As the submission names it. Null: no limit. */
  readonly maxCostMicroUsd: number | null;
};

/**
 * The parked run of a session goes on with a submission that gives it what it waits for, and works on the same commit. Otherwise it
 * ends. Null where the session has none.
 */
export async function settleSession(
  core: Core,
  tx: StoreTransaction,
  request: SessionRequest,
): Promise<Result<ContinuedOrEnded, SubmitRefusal> | null> {
  const { agent, sessionId, admission, maxCostMicroUsd } = request;
  const found = await tx.runs.findParked(sessionId);
  const run = found === null ? null : await tx.runs.lock(found.id);
  if (run?.parked === undefined) return null;
  const { parked } = run;
  const { caller, body, messages } = admission;
  const given: Given = {
    message: textOf(messages),
    maxCostMicroUsd: body.max_cost_usd === undefined ? null : maxCostMicroUsd,
    maxTokens: body.max_turn_tokens ?? null,
  };
  const isOneRequest = given.message !== null && findMissing({ run, parked, given }) === null;
  if (!isOneRequest || !(await worksOnSame(tx, run, admission)))
    return ok({ continued: null, ended: await endParked(core, tx, { run, parked }) });
  const continued = await continueParked(core, tx, {
    run,
    parked,
    given,
    agent,
    job: jobOf(caller),
    delivery: expectedDelivery(admission),
  });
  return continued.ok ? ok({ continued: run, ended: [] }) : continued;
}

type ContinuedOrEnded = { readonly continued: RunRecord | null; readonly ended: CancelledRuns };

/** Null where there is more than one message, or more than text in it. */
function textOf(messages: AdmissionRequest["messages"]): string | null {
  const [message, ...others] = messages;
  if (message === undefined || others.length > 0) return null;
  return message.role === "user" && message.parts === undefined ? message.content : null;
}

/** Whether a submission asks for nothing that the run does not have: no other commit, no other form of the reply, no other outputs. */
async function worksOnSame(
  tx: StoreTransaction,
  run: RunRecord,
  { caller, body, pullRequest, workspace, workflow, parent }: AdmissionRequest,
): Promise<boolean> {
  if (workflow !== undefined || parent !== undefined) return false;
  // Its tokens are for a run that the same job follows.
  if (body.model_access !== undefined || body.mcp_access !== undefined) return false;
  const input = await tx.runs.findInput(run.id);
  if (
    input === null ||
    canonicalJson(input.workspace ?? null) !== canonicalJson(workspace ?? null) ||
    canonicalJson(input.outputSchema ?? null) !== canonicalJson(body.output_schema ?? null) ||
    canonicalJson(input.outputs ?? null) !== canonicalJson(body.outputs ?? null)
  )
    return false;
  if (caller.kind === "account") return true;
  const job = input.job;
  if (job === null || input.pullRequest?.headSha !== pullRequest?.headSha) return false;
  return pullRequest !== null || job.sha === caller.capability.job.sha;
}
