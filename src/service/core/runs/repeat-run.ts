// Actions of a person on a run that has ended: ask for the same once more, or say the next message of its session. Both are
// submissions like any other, so that what refuses those refuses these.
// Why: docs/decisions/159-a-run-is-asked-for-again-on-its-page.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import type { SubmitRefusal } from "./refusals.ts";
import { bodyOf } from "./requested-input.ts";
import type { RunInput, RunRecord } from "./run-record.ts";
import type { Submission, Submitted } from "./submission.ts";
import type { RunSubmitter } from "./submit-run.ts";

/** Why a person cannot do it with this run, whoever they are. */
export type Obstacle =
  | { readonly reason: "unfinished" }
  | { readonly reason: "input_gone" }
  /** Only the job can deliver what the run makes. */
  | { readonly reason: "of_job"; readonly job: NonNullable<RunInput["job"]> }
  | { readonly reason: "delegated"; readonly parentRunId: string }
  | { readonly reason: "forked"; readonly runId: string; readonly turn: number }
  | { readonly reason: "workflow"; readonly workflowId: string }
  | { readonly reason: "in_workspace"; readonly workspaceId: string }
  /** The session's next run. */
  | { readonly reason: "session_went_on"; readonly runId: string };

type Repeat = {
  readonly body: Submission["body"];
  /** The run was not the first of its session: the same once more is the session's next message. Null: it begins a session. */
  readonly sessionId: string | null;
};

/** The request for the same once more. */
export async function findRepeat(
  { store: { committed } }: Core,
  run: RunRecord,
): Promise<Result<Repeat, Obstacle>> {
  if (run.parentRunId !== null) return refused({ reason: "delegated", parentRunId: run.parentRunId });
  const input = await committed.runs.findInput(run.id);
  if (input === null) return refused({ reason: "input_gone" });
  const { job, forkOf, workflow, workspace } = input;
  if (job !== null) return refused({ reason: "of_job", job });
  if (forkOf !== undefined) return refused({ reason: "forked", ...forkOf });
  if (workspace !== undefined) return refused({ reason: "in_workspace", workspaceId: workspace.workspaceId });
  if (workflow !== undefined) return refused({ reason: "workflow", workflowId: workflow.id });
  const { id: before, sessionId } = run;
  const [earlier] = await committed.runs.listOfSessionBefore({ sessionId, before, limit: 1 });
  return ok({ body: bodyOf(input), sessionId: earlier === undefined ? null : sessionId });
}

/** What keeps a person from saying the next message of its session, unless somebody else has said it. */
export async function findNextObstacle(
  { store: { committed } }: Core,
  run: RunRecord,
): Promise<Obstacle | null> {
  if (run.parentRunId !== null) return { reason: "delegated", parentRunId: run.parentRunId };
  const input = await committed.runs.findInput(run.id);
  if (input?.workspace !== undefined)
    return { reason: "in_workspace", workspaceId: input.workspace.workspaceId };
  return null;
}

/** The id of the session's next run; null for its last. */
export async function findLater(
  { runs }: Pick<StoreReader, "runs">,
  { id: after, sessionId }: Pick<RunRecord, "id" | "sessionId">,
): Promise<string | null> {
  const [later] = await runs.listOfSession({ sessionId, after, limit: 1 });
  return later?.id ?? null;
}

type OfRun = {
  readonly caller: AccountCaller;
  readonly run: RunRecord;
  /** Makes one run of a request that is sent twice. */
  readonly key: string;
};

type Said = Result<Submitted, { readonly reason: "obstacle"; readonly obstacle: Obstacle } | SubmitRefusal>;

function hindered(obstacle: Obstacle): Said {
  return refused({ reason: "obstacle", obstacle });
}

/** Asks for the same once more. With the same key it is safe to repeat for 24 hours. */
export async function repeatRun(
  core: Core,
  submitter: RunSubmitter,
  { caller, run, key }: OfRun,
): Promise<Said> {
  if (!isTerminal(run.status)) return hindered({ reason: "unfinished" });
  const repeat = await findRepeat(core, run);
  if (!repeat.ok) return hindered(repeat.refusal);
  const { body, sessionId } = repeat.value;
  return await submitAfter(submitter, {
    run: sessionId === null ? null : run,
    submission: {
      caller,
      agentId: run.agentId,
      idempotencyKey: key,
      canBeAnswered: true,
      body: { ...body, may_park: true, ...(sessionId === null ? {} : { session_id: sessionId }) },
    },
  });
}

/** Says the next message of the run's session, unless somebody else has. With the same key it is safe to repeat for 24 hours. */
export async function sayNext(
  core: Core,
  submitter: RunSubmitter,
  { caller, run, key, message }: OfRun & { readonly message: string },
): Promise<Said> {
  if (!isTerminal(run.status)) return hindered({ reason: "unfinished" });
  const obstacle = await findNextObstacle(core, run);
  if (obstacle !== null) return hindered(obstacle);
  return await submitAfter(submitter, {
    run,
    submission: {
      caller,
      agentId: run.agentId,
      idempotencyKey: key,
      canBeAnswered: true,
      body: { message, may_park: true, session_id: run.sessionId },
    },
  });
}

/** Somebody has continued the session meanwhile: nothing is done. */
class WentOnError extends Error {
  readonly runId: string;

  constructor(runId: string) {
    super("The session went on meanwhile.");
    this.runId = runId;
  }
}

/** `run` has to be the last of its session. Null: the submission begins one. */
async function submitAfter(
  submitter: RunSubmitter,
  { run, submission }: { readonly run: RunRecord | null; readonly submission: Submission },
): Promise<Said> {
  if (run === null) return await submitter.submit(submission);
  try {
    return await submitter.submit({
      ...submission,
      // Not where its key has made the later one.
      alongside: async (tx) => {
        const later = await findLater(tx, run);
        if (later !== null) throw new WentOnError(later);
      },
    });
  } catch (cause) {
    if (cause instanceof WentOnError) return hindered({ reason: "session_went_on", runId: cause.runId });
    throw cause;
  }
}
