// POST /v1/agents/{agentID}/runs: makes one durable run, or returns the one that the same key made before.

import { type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import { requestedPullRequest } from "../ci/pull-request.ts";
import type { Core } from "../core.ts";
import { accountWallet, freeCreditsAccount } from "../money/ledger.ts";
import { admitRun } from "./admit-run.ts";
import { TransactionNeededError, UnpaidError } from "./billing-account.ts";
import { announceContinued } from "./continue-run.ts";
import { announce } from "./end-run.ts";
import { KeysInFlight } from "./keys-in-flight.ts";
import type { SubmitRefusal } from "./refusals.ts";
import { withRemoteHead } from "./remote-head.ts";
import { renewAccess } from "./renew-access.ts";
import { renewServerAccess } from "./renew-server-access.ts";
import { messagesOf } from "./requested-input.ts";
import { SessionKeyTakenError, withSessionKey } from "./requested-session.ts";
import type { AdmissionRequest, Submission, Submitted } from "./submission.ts";
import { KeyTakenError, UndoneError } from "./undone-admission.ts";

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
    if (submission.body.mcp_access !== undefined && submission.caller.kind !== "ci_job")
      return refused({ reason: "mcp_access_needs_job" });
    if (submission.body.outputs !== undefined && submission.caller.kind !== "ci_job")
      return refused({ reason: "outputs_needs_job" });
    // Read here: a transaction may run within another request's span.
    const traceparent = this.#core.tracer.here() ?? undefined;
    const slot = this.#keysInFlight.newSlot();
    try {
      const admission = { ...submission, messages, key, slot, pullRequest: pullRequest.value, traceparent };
      const lane = laneOf(this.#core, submission.caller);
      const admit = async (admission: AdmissionRequest) =>
        (await this.#admitInOneWrite(admission)) ??
        (await withSessionKey(() => store.transact((tx) => admitRun(this.#core, tx, admission), { lane })));
      const submitted = await withRemoteHead(this.#core, (head) => admit({ ...admission, ...head }));
      const isNew = submitted.ok && !submitted.value.isReplay;
      if (isNew && submitted.value.continuedAfter !== undefined)
        announceContinued(this.#core, submitted.value.runId);
      else if (isNew) {
        announce(this.#core, submitted.value.alsoEnded ?? []);
        dispatch.enqueue(submitted.value.runId, submitted.value.billingAccount ?? "");
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
      if (cause instanceof UndoneError) return refused(cause.refusal);
      if (cause instanceof UnpaidError) return refused(await store.transact(cause.explain));
      throw cause;
    } finally {
      slot.release();
    }
  }

  /** The repeated request may have a newer token than the first one had. What hinders that is no matter of the replay. */
  async #renewBrought({ caller, body }: Submission, { runId }: Submitted): Promise<void> {
    const { model_access: access, mcp_access: accesses } = body;
    if (caller.kind !== "ci_job") return;
    if (access !== undefined) await renewAccess(this.#core, { caller, runId, access });
    if (accesses !== undefined) await renewServerAccess(this.#core, { caller, runId, accesses });
  }

  /** Most submissions read, and write once at the end. Null, and nothing done, where it takes a transaction. */
  async #admitInOneWrite(admission: AdmissionRequest): Promise<Result<Submitted, SubmitRefusal> | null> {
    const { alongside, body, parent } = admission;
    if (
      alongside !== undefined ||
      parent !== undefined ||
      body.session_id !== undefined ||
      body.session_key !== undefined
    )
      return null;
    if (body.model_access !== undefined || body.mcp_access !== undefined) return null;
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
