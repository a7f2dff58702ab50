// The post step: cancels the run that the main step could not see to its end, and revokes the capability.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { createGitHubProvider } from "../ci/github.ts";
import type { Environment } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import { createCapability } from "../job/capability.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { sayLine } from "./say-line.ts";
import { readState, type State } from "./state.ts";
import { openTransport } from "./transport.ts";

const LIMIT_MS = 5_000;

/** Does nothing when the main step came to no capability. Ends within a few seconds. */
export async function finishStep(env: Environment = jobEnvironment): Promise<void> {
  const state = readState();
  if (state.capability === "") return;
  core.setSecret(state.capability);
  const inputs = readInputs((name) => core.getInput(name));
  // One that ran inside the job has ended with its step.
  if (inputs.service.type === "embedded") return;
  const { baseUrl, audience } = inputs.service;
  const transport = openTransport();
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const provider = createGitHubProvider({
      env,
      transport: transport.send,
      clock: systemClock,
      random: Math.random,
    });
    const capability = createCapability({
      provider,
      audience,
      account: inputs.account,
      token: state.capability,
      exchange: (options) => client.exchange(options),
      setSecret: core.setSecret,
      onGrant: () => {},
    });
    const client = createJobClient({
      baseUrl,
      credential: capability,
      transport: transport.send,
      userAgent: "agent-service-action",
    });
    await leaveNoRun(client, { state, inputs, baseUrl, signal });
    await revoke(client, signal);
  } finally {
    transport.close();
  }
}

async function leaveNoRun(
  client: JobClient,
  options: { state: State; inputs: Inputs; baseUrl: string; signal: AbortSignal },
): Promise<void> {
  const { inputs, baseUrl, signal } = options;
  const { phase, agentId, runId } = options.state;
  if (phase !== "submitted" || runId === "") return;
  if (inputs.onCancel === "detach") {
    core.notice(`The run ${runId} goes on at ${baseUrl}/v1/ci/runs/${encodeURIComponent(runId)}.`);
    return;
  }
  try {
    await client.cancelRun({ agentId, runId, signal });
    sayLine(`Cancelled run ${runId}.`);
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_finished") return;
    core.warning(
      `Run ${runId} could not be cancelled: ${error instanceof Error ? error.message : "unknown"}`,
    );
  }
}

/** A capability that is already gone is as good as revoked. */
async function revoke(client: JobClient, signal: AbortSignal): Promise<void> {
  try {
    await client.revoke({ signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    sayLine(
      `The capability was not revoked; it expires by itself. ${error instanceof Error ? error.message : ""}`,
    );
  }
}
