// Ends runs that other steps or jobs have started: one by its id, or those of the conversation that the event is about.

import type { Clock } from "../base/clock.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import { isTerminal } from "../contract/runs/run.ts";
import type { RequestSubject } from "../github/trigger/agent-request.ts";
import { Declined } from "../github/trigger/declined.ts";
import { StepError } from "../job/step-error.ts";
import type { Inputs } from "./inputs.ts";

/** Tools are given some seconds to end; then nobody waits any longer. */
const WAIT_MS = 60_000;
const LOOK_MS = 500;
/** One page of the service: more are not in flight at once. */
const MAX_RUNS = 100;

export type CancelOptions = {
  readonly client: JobClient;
  readonly agentId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Rejects what this step cannot cancel. Throws Declined and StepError. */
export function refuseCancel({ inputs, subject }: { inputs: Inputs; subject: RequestSubject | null }): void {
  if (inputs.service.type === "embedded") {
    throw new Declined(
      "cancel_elsewhere",
      "Nothing was cancelled: a run ends with the workflow run that started it. Cancel that one on the Actions page.",
    );
  }
  if (inputs.runId !== null || subject !== null) return;
  throw new StepError(
    "run_id_missing",
    'Input "mode: cancel" needs "run-id" here: this event is about no issue and no pull request.',
  );
}

/** The runs in flight of a conversation, newest first. */
export async function runsInFlight(
  sessionKey: string,
  { client, agentId, signal }: CancelOptions,
): Promise<readonly string[]> {
  const runs = await client.listRuns({ agentId, sessionKey, limit: MAX_RUNS, signal });
  return runs.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
}

/**
 * Asks each to stop and waits until it has ended, within a minute. Returns those that were still going on. Rejects as
 * the client does, with `run_not_found` for a run that is not this repository's.
 */
export async function cancelRuns(
  runIds: readonly string[],
  options: CancelOptions,
): Promise<readonly string[]> {
  const { client, agentId, signal } = options;
  const asked: string[] = [];
  for (const runId of runIds) {
    try {
      await client.cancelRun({ agentId, runId, signal });
      asked.push(runId);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "run_finished")) throw error;
    }
  }
  await Promise.all(asked.map((runId) => untilEnded(runId, options)));
  return asked;
}

async function untilEnded(runId: string, { client, agentId, clock, signal }: CancelOptions): Promise<void> {
  const lastLook = clock.now() + WAIT_MS;
  while (clock.now() < lastLook) {
    const { status } = await client.getRun({ agentId, runId, signal });
    if (isTerminal(status)) return;
    await clock.sleep(LOOK_MS, signal);
  }
}
