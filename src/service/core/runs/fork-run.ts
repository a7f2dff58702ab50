// POST /v1/agents/{agentID}/runs/{runID}/fork: a new run that begins at a turn of another one, by what that one's journal has.
// Why: docs/decisions/145-a-run-is-forked.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Unkeyed } from "../../../contract/fields.ts";
import type { ForkRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Caller } from "../accounts/caller.ts";
import { findPlanFault } from "../agents/find-or-make-agent.ts";
import type { ModelRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import type { KeptTurn } from "./journal-port.ts";
import { findRun } from "./read-run.ts";
import type { ForkRefusal, RunRefusal, SubmitRefusal } from "./refusals.ts";
import { bodyOf, comparedFork } from "./requested-input.ts";
import { beginForked, openEntries } from "./run-journal.ts";
import type { Submission, Submitted } from "./submission.ts";
import type { RunSubmitter } from "./submit-run.ts";

type Fork = {
  readonly caller: Caller;
  readonly agentId: string;
  readonly runId: string;
  readonly body: Unkeyed<ForkRunRequest>;
  readonly idempotencyKey: string | null;
};

/** The other run is not changed. With a key it is safe to repeat for 24 hours. */
export async function forkRun(
  core: Core,
  submitter: RunSubmitter,
  { caller, agentId, runId, body, idempotencyKey }: Fork,
): Promise<Result<Submitted, RunRefusal | SubmitRefusal | ForkRefusal | ModelRefusal>> {
  const found = await findRun(core, { caller, agentId, runId });
  if (!found.ok) return found;
  const earlier = await findEarlier(core, { agentId, runId, body, idempotencyKey });
  if (earlier !== null) return earlier;
  const { turn, model = null, message = null } = body;
  const modelFault = model === null ? null : await findModelFault(core, { caller, model });
  if (modelFault !== null) return refused(modelFault);
  const input = await core.store.committed.runs.findInput(runId);
  const entries = await openEntries(core, runId);
  const turns = await keptTurns(core, runId);
  const at = turns.find((one) => one.turn === turn);
  if (at === undefined || input === null || entries === null)
    return refused({ reason: "turn_not_kept", runId, turn, turns: turns.map((one) => one.turn) });
  const before = entries.filter(({ entry }) => entry <= at.entry);
  // A fork makes one attempt, and has the service's time limit.
  const {
    best_of: _attempts,
    best_of_models: _models,
    time_limit_seconds: _seconds,
    ...same
  } = bodyOf(input);
  return await submitter.submit({
    caller,
    agentId,
    idempotencyKey,
    body: { ...same, ...limitsOf(body) },
    ...(input.hasThread === true ? { canBeAnswered: true } : {}),
    fork: { runId, turn, asked: body, source: input, model, message },
    alongside: (tx, made) =>
      beginForked(core, tx, {
        runId: made.runId,
        entries: before,
        given: { message, forkedFrom: runId },
      }),
  });
}

/** The answer of the request's key, also where the turn is not kept any more. Null where it makes a new run. */
async function findEarlier(
  core: Core,
  { agentId, runId, body, idempotencyKey: key }: Omit<Fork, "caller">,
): Promise<Result<Submitted, SubmitRefusal> | null> {
  if (key === null) return null;
  const now = core.clock.now();
  const earlier = await core.store.transact((tx) => tx.idempotency.find({ agentId, key, now }));
  if (earlier === null) return null;
  const asked = hashRequest(comparedFork({ runId, asked: body }));
  if (!isSameRequest(earlier.requestHash, asked)) return refused({ reason: "key_reused", key });
  return ok({ runId: earlier.runId, sessionId: earlier.sessionId, isReplay: true });
}

async function findModelFault(
  core: Core,
  { caller, model: id }: { readonly caller: Caller; readonly model: string },
): Promise<ModelRefusal | null> {
  const model = core.rates.models.find((one) => one.id === id);
  if (model === undefined) return { reason: "model_unknown", model: id };
  const account =
    caller.kind === "account" ? await core.store.committed.accounts.find(caller.accountId) : null;
  return account === null ? null : findPlanFault(core, { account, model });
}

/** The turns at which a run can be forked: none of a workspace's, whose files are beside the workspace's own. */
export async function keptTurns(core: Core, runId: string): Promise<readonly KeptTurn[]> {
  const { journal, runs } = core.store.committed;
  const turns = core.journalKeys === null ? [] : await journal.listTurns(runId);
  if (turns.length === 0) return turns;
  return (await runs.findInput(runId))?.workspace === undefined ? turns : [];
}

/** Those that the request names; the others are the other run's. */
function limitsOf({
  max_turn_tokens: tokens,
  max_cost_usd: dollars,
}: Unkeyed<ForkRunRequest>): Partial<Submission["body"]> {
  return {
    ...(tokens === undefined ? {} : { max_turn_tokens: tokens }),
    ...(dollars === undefined ? {} : { max_cost_usd: dollars }),
  };
}
