// The post step: cancels the run that the main step could not see to its end, and revokes the capability.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { createGitHubProvider } from "../ci/github.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import { connectJob } from "../job/connect-job.ts";
import { actionWords } from "../job/job-words.ts";
import { USER_AGENT } from "./action-types.ts";
import { readActionInputs } from "./read-inputs.ts";
import { sayLine } from "./say-line.ts";
import { type Leftover, readLeftover } from "./state.ts";
import { openTransport } from "./transport.ts";

const LIMIT_MS = 5_000;

/** Does nothing where the main step was granted no capability. Ends within a few seconds. */
export async function finishStep(env: Environment = jobEnvironment): Promise<void> {
  const leftover = readLeftover();
  if (leftover.type === "nothing") return;
  core.setSecret(leftover.capability);
  const { service, account, onCancel } = await readActionInputs(env);
  // A service inside the job has ended with its step.
  if (service.type === "embedded") return;
  const transport = openTransport();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const tokens = createGitHubProvider({
    env,
    transport: transport.send,
    clock: systemClock,
    random: Math.random,
  });
  const { client } = connectJob({
    service: { ...service, tokens, account, sha: "", model: null, servers: [] },
    token: leftover.capability,
    transport: transport.send,
    userAgent: USER_AGENT,
    words: actionWords,
    setSecret: core.setSecret,
  });
  try {
    if (leftover.type === "run") {
      if (onCancel === "cancel") await cancelRun(client, { leftover, signal });
      else sayDetached(leftover);
    }
    await revoke(client, signal);
  } finally {
    transport.close();
  }
}

type RunLeftover = Extract<Leftover, { type: "run" }>;

function sayDetached({ runId, runUrl }: RunLeftover): void {
  core.notice(`The run ${runId} goes on at ${runUrl}.`);
}

async function cancelRun(
  client: JobClient,
  { leftover, signal }: { leftover: RunLeftover; signal: AbortSignal },
): Promise<void> {
  const { agentId, runId } = leftover;
  try {
    await client.runs.cancel({ agentId, runId, signal });
    sayLine(`Cancelled run ${runId}.`);
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_finished") return;
    core.warning(
      `Run ${runId} could not be cancelled: ${error instanceof Error ? error.message : "unknown"}`,
    );
  }
}

/** A capability that has ended is as good as revoked. */
async function revoke(client: JobClient, signal: AbortSignal): Promise<void> {
  try {
    await client.ci.revoke({ signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    sayLine(
      `The capability was not revoked; it expires by itself. ${error instanceof Error ? error.message : ""}`,
    );
  }
}
