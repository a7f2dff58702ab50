// Ends runs that other steps or jobs have started: one by its id, or those in flight of one session.

import type { Clock } from "../base/clock.ts";
import type { JobClient } from "../client/job-client.ts";
import { isTerminal } from "../contract/runs/run.ts";

/** A cancelled run's tools get some seconds to end. */
const WAIT_MS = 60_000;
const POLL_MS = 500;
/** One page of the list: no session has more runs in flight. */
const MAX_RUNS = 100;

type CancelOptions = {
  readonly client: JobClient;
  readonly agentId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** The ids of a session's runs in flight, newest first. */
export async function runsInFlight(
  sessionKey: string,
  { client, agentId, signal }: CancelOptions,
): Promise<readonly string[]> {
  const runs = await client.runs.list({
    agentId,
    query: { session_key: sessionKey, limit: MAX_RUNS },
    signal,
  });
  return runs.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
}

/**
 * Cancels each run and waits at most a minute for its end. Returns those that had not ended before. Rejects as the
 * client does, with `run_not_found` for a run of another repository.
 */
export async function cancelRuns(
  runIds: readonly string[],
  options: CancelOptions,
): Promise<readonly string[]> {
  const { client, agentId, signal } = options;
  const cancelled: string[] = [];
  for (const runId of runIds) {
    try {
      await client.runs.cancel({ agentId, runId, signal });
      cancelled.push(runId);
    } catch (error) {
      if (!hasEnded(error)) throw error;
    }
  }
  await Promise.all(cancelled.map((runId) => untilEnded(runId, options)));
  return cancelled;
}

/** By its code: in the Action this file is in a bundle of its own, with a class of its own. */
function hasEnded(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "run_finished";
}

async function untilEnded(runId: string, { client, agentId, clock, signal }: CancelOptions): Promise<void> {
  const deadline = clock.monotonic() + WAIT_MS;
  while (clock.monotonic() < deadline) {
    const { status } = await client.runs.get({ agentId, runId, signal });
    if (isTerminal(status)) return;
    await clock.sleep(POLL_MS, signal);
  }
}
