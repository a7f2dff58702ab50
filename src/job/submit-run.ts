// The submission of a job's run: as the job asks for it, or as an older service understands it. And the parked run that a
// submission would lose.

import type { CiJob } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { UNKNOWN_FIELD } from "../contract/problems/problem.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import { type OwnRun, submitOnce } from "./idempotency.ts";
import { type RaisableLimit, raisableLimits } from "./job-types.ts";

type Submission = {
  readonly client: JobClient;
  readonly agentId: string;
  readonly body: SubmitRunRequest;
  /** Null: each submission is a new run. */
  readonly job: CiJob | null;
  readonly matrix: string;
  readonly signal: AbortSignal;
};

/** Fields that an older service does without: there a run ends in place of being parked, and lists say less of it. */
const dispensable = ["may_park", "delivers", "about"] as const satisfies readonly (keyof SubmitRunRequest)[];

/** Submits the run. A service that does not know what it can do without is asked again, without that. */
export async function submitRun(submission: Submission): Promise<OwnRun> {
  try {
    return await submit(submission);
  } catch (error) {
    const unknown = unknownFields(error);
    const left = dispensable.filter((field) => unknown.includes(field) && field in submission.body);
    if (left.length === 0) throw error;
    const without = Object.fromEntries(left.map((field) => [field, undefined]));
    return await submit({ ...submission, body: { ...submission.body, ...without } });
  }
}

async function submit({ client, agentId, body, job, matrix, signal }: Submission): Promise<OwnRun> {
  if (job !== null) return await submitOnce({ client, agentId, body, job, matrix, signal });
  const { runId, sessionId, continuedAfter } = await client.runs.submit({ agentId, body, signal });
  return { runId, sessionId, attached: false, continuedAfter };
}

/** As the contract has it, whose schemas are not to load here. */
const UNKNOWN: typeof UNKNOWN_FIELD = "unknown_field";

function unknownFields(error: unknown): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  return error.fields.filter(({ reason }) => reason === UNKNOWN).map(({ field }) => field);
}

type Asked = Pick<Submission, "client" | "agentId" | "body" | "signal"> & {
  readonly raises: readonly RaisableLimit[];
};

/**
 * The parked run of the session, where it waits for a limit that nobody raises: a submission would end it. Null where there is
 * none.
 */
export async function findLimited(asked: Asked): Promise<string | null> {
  const { client, agentId, body, raises, signal } = asked;
  const { session_key } = body;
  if (session_key === undefined) return null;
  const [newest] = await client.runs.list({ agentId, query: { session_key, limit: 1 }, signal });
  if (newest?.status !== "running") return null;
  const lacking = raisableLimits.filter((limit) => !raises.includes(limit));
  return lacking.some((limit) => limit === newest.parked?.reason) ? newest.id : null;
}
