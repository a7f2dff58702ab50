// One run for each job attempt, however often the request is sent; a re-run of the job finds the run that it left.
// Why: docs/decisions/006-idempotency-keys-of-a-job.md

import { createHash } from "node:crypto";
import type { CiJob } from "../ci/provider.ts";
import type { Client, SubmittedRun } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import type { RunStatus } from "../contract/runs/run.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";

/** Further keys to try where another request has used the attempt's own. */
const SPARE_KEYS = 3;
/** A limit that no job reaches, for providers that do not count attempts. */
const UNCOUNTED_ATTEMPTS = 100;

type SubmitOptions = {
  readonly client: { readonly runs: Pick<Client["runs"], "submit" | "get"> };
  readonly agentId: string;
  readonly body: SubmitRunRequest;
  readonly job: CiJob;
  readonly matrix: string;
  readonly signal?: AbortSignal | undefined;
};

/** `attached`: an earlier attempt of this job had started the run. */
export type OwnRun = {
  readonly runId: string;
  readonly sessionId: string;
  readonly attached: boolean;
  /** The parked run of the session goes on: the `seq` of its last event before. Null for every other. */
  readonly continuedAfter: number | null;
};

/** The key of the n-th run of this step, n from 1. Pure. */
export function idempotencyKey(options: { job: CiJob; matrix: string; attempt: number }): string {
  const { job, matrix, attempt } = options;
  const place = [job.provider, job.repository.id, job.runId, job.job, job.step, matrix];
  const hash = createHash("sha256").update(JSON.stringify(place)).digest("hex");
  return attempt === 1 ? `ci-${hash}` : `ci-${hash}-${attempt}`;
}

/**
 * Submits the run of this job attempt. Attempt N tries the keys 1 to N in turn: it attaches to a run in flight and
 * passes over one that has ended. Where attempts are not counted, it goes on to the first unused key. Rejects as
 * runs.submit does. Safe to repeat.
 */
export async function submitOnce(options: SubmitOptions): Promise<OwnRun> {
  const { client, agentId, body, job, matrix, signal } = options;
  const ownAttempt = job.attempt ?? UNCOUNTED_ATTEMPTS;
  for (let attempt = 1; ; attempt += 1) {
    const key = idempotencyKey({ job, matrix, attempt });
    try {
      const submitted = await client.runs.submit({ agentId, body, idempotencyKey: key, signal });
      const isOwnKey = attempt >= ownAttempt;
      if (isOwnKey || !submitted.replayed || (await isInFlight(options, submitted))) {
        const { runId, sessionId, replayed, continuedAfter } = submitted;
        return { runId, sessionId, attached: replayed && !isOwnKey, continuedAfter };
      }
    } catch (error) {
      const isReused = error instanceof ApiError && error.code === "idempotency_key_reused";
      if (!isReused || attempt >= ownAttempt + SPARE_KEYS) throw error;
    }
  }
}

async function isInFlight(options: SubmitOptions, submitted: SubmittedRun): Promise<boolean> {
  const { client, agentId, signal } = options;
  const run = await client.runs.get({ agentId, runId: submitted.runId, signal });
  return isWorthAttaching(run.status);
}

/** A run that is being cancelled gives no answer: whoever starts the job again wants a new run. */
function isWorthAttaching(status: RunStatus): boolean {
  return status === "queued" || status === "running";
}
