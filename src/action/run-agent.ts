// The main step, as a recipe: read inputs, identify the job, exchange, submit, announce, watch, conclude.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { createGitHubProvider } from "../ci/github.ts";
import type { CiProvider, Environment } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { ExchangeResponse } from "../contract/exchange.ts";
import { createCapability } from "./capability.ts";
import { conclude } from "./conclude.ts";
import type { Outcome } from "./conclusion.ts";
import { submitOnce } from "./idempotency.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import { decidePrompt } from "./prompt.ts";
import { sayLine } from "./say-line.ts";
import { InterruptedError, type Interrupts, listenForInterrupts } from "./signals.ts";
import { leaveState } from "./state.ts";
import { openTransport } from "./transport.ts";
import { watchRun } from "./watch-run.ts";

/** Runs the whole step. Sets the exit code; never rejects for what a user can meet. */
export async function runAgent(env: Environment = jobEnvironment): Promise<void> {
  const interrupts = listenForInterrupts();
  const transport = openTransport();
  const progress: Progress = {
    inputs: null,
    embedded: null,
    grant: null,
    isSubmitting: false,
    run: null,
    files: null,
    log: null,
  };
  try {
    const outcome = await carryOut({ env, interrupts, transport, progress }).catch((error: unknown) =>
      failedOutcome(error, progress),
    );
    await conclude({ env, outcome, progress });
  } finally {
    await progress.embedded?.close().catch(() => {
      core.warning("The service inside this job left its folder behind.");
    });
    await progress.files?.close();
    transport.close();
    interrupts.close();
  }
}

type Step = {
  readonly env: Environment;
  readonly interrupts: Interrupts;
  readonly transport: ReturnType<typeof openTransport>;
  readonly progress: Progress;
};

async function carryOut(step: Step): Promise<Outcome> {
  const { env, interrupts, transport, progress } = step;
  const modelKey = core.getInput("model-api-key");
  if (modelKey !== "") core.setSecret(modelKey);
  const inputs = readInputs((name) => core.getInput(name));
  progress.inputs = inputs;
  warnOfIgnored(inputs);
  const github = createGitHubProvider({
    env,
    transport: transport.send,
    clock: systemClock,
    random: Math.random,
    onRetry: noteRetry,
  });
  const prompt = await decidePrompt({
    inputs,
    job: github.job,
    env,
    transport: transport.send,
    signal: interrupts.first,
    onRetry: noteRetry,
  });
  const service = await openService(step, { inputs, github });
  const { provider } = service;
  const { client, grant } = await takeCapability(step, { inputs, service });
  const agentId = grant.agent_id;
  interrupts.first.throwIfAborted();
  progress.isSubmitting = true;
  const run = await submitOnce({
    client,
    agentId,
    body: {
      message: prompt,
      ...(inputs.sessionId === null ? {} : { session_id: inputs.sessionId }),
      ...(inputs.maxTurnTokens === null ? {} : { max_turn_tokens: inputs.maxTurnTokens }),
      ...(inputs.outputSchema === null ? {} : { output_schema: inputs.outputSchema }),
    },
    job: provider.job,
    matrix: inputs.matrix,
    signal: interrupts.last,
  });
  const url = `${service.baseUrl}/v1/ci/runs/${encodeURIComponent(run.runId)}`;
  const shownUrl = progress.embedded === null ? url : null;
  announce(run, shownUrl);
  progress.isSubmitting = false;
  progress.run = { id: run.runId, url: shownUrl, sessionId: run.sessionId };
  if (!inputs.wait) return { type: "detached", runUrl: url, interrupted: false };
  leaveState({ agentId, runId: run.runId, phase: "submitted" });
  return follow(step, { inputs, client, agentId, runId: run.runId, url });
}

/** Where the service is, and who says to it who this job is. */
type StepService = {
  readonly baseUrl: string;
  readonly audience: string;
  readonly provider: CiProvider;
};

/** A service that is named is taken as it is; else one starts here. */
async function openService(
  { env, progress }: Step,
  { inputs, github }: { inputs: Inputs; github: CiProvider },
): Promise<StepService> {
  const { service } = inputs;
  if (service.type === "remote") {
    warnOfPlainHttp(service.baseUrl);
    return { ...service, provider: github };
  }
  const { embeddedProvider, NO_MODEL_TEXT, startService } = await import("./embedded-service.ts");
  const { model } = service;
  const embedded = await startService({ env, job: github.job, model, onWarning: sayLine });
  progress.embedded = embedded;
  if (!embedded.hasModel) core.notice(NO_MODEL_TEXT);
  return { baseUrl: embedded.url, audience: "", provider: embeddedProvider(github.job, embedded) };
}

async function takeCapability(
  step: Step,
  { inputs, service }: { inputs: Inputs; service: StepService },
): Promise<{ client: JobClient; grant: ExchangeResponse }> {
  const { interrupts, transport, progress } = step;
  const capability = createCapability({
    provider: service.provider,
    audience: service.audience,
    account: progress.embedded === null ? inputs.account : null,
    exchange: (options) => client.exchange(options),
    setSecret: core.setSecret,
    onGrant: (grant) => {
      progress.grant = grant;
      // One of a service that ends with this step is of no use to the next.
      if (progress.embedded !== null) return;
      leaveState({ capability: grant.access_token, phase: progress.run === null ? "granted" : "submitted" });
    },
  });
  const client = createJobClient({
    baseUrl: service.baseUrl,
    credential: capability,
    transport: transport.send,
    userAgent: "agent-service-action",
    onRetry: noteRetry,
  });
  return { client, grant: await capability.grant(interrupts.first) };
}

/** Before anything can fail: whoever reads the log must be able to find the run. */
function announce(run: { runId: string; sessionId: string; attached: boolean }, url: string | null): void {
  sayLine(
    run.attached ? `Attached to run ${run.runId} that an earlier attempt started.` : `Run ${run.runId}`,
  );
  if (url !== null) sayLine(`Follow it at ${url}`);
  core.setOutput("run-id", run.runId);
  core.setOutput("run-url", url ?? "");
  core.setOutput("session-id", run.sessionId);
}

async function follow(
  step: Step,
  run: { inputs: Inputs; client: JobClient; agentId: string; runId: string; url: string },
): Promise<Outcome> {
  const { env, interrupts, progress } = step;
  const { inputs, client, agentId, runId } = run;
  const { openFollowLog } = await import("./follow-log.ts");
  const { openJobFiles } = await import("./job-files.ts");
  const files = await openJobFiles(env);
  const log = openFollowLog({ files, write: (text) => process.stdout.write(text) });
  progress.files = files;
  progress.log = log;
  const end = await watchRun({
    client,
    agentId,
    runId,
    interrupts,
    onCancel: inputs.onCancel,
    timeoutMs: inputs.timeoutMinutes * 60_000,
    clock: systemClock,
    onEvent: log.add,
    onNote: sayLine,
  });
  switch (end.type) {
    case "ended":
      return { ...end, detail: log.failure() };
    case "stopping":
      return end;
    case "detached":
      return { type: "detached", runUrl: run.url, interrupted: true };
  }
}

function failedOutcome(error: unknown, { isSubmitting }: Progress): Outcome {
  if (error instanceof InterruptedError) return { type: "interrupted", submitting: isSubmitting };
  return { type: "error", error };
}

function noteRetry({ attempt, delayMs, error }: RetryNotice): void {
  const answered =
    error instanceof ApiError ? `${error.call} answered ${error.status} (request ${error.requestId}): ` : "";
  const wait = `Trying again in ${(delayMs / 1000).toFixed(1)} s.`;
  sayLine(`Attempt ${attempt} failed: ${answered}${error.message} ${wait}`);
}

function warnOfIgnored({ ignored, service }: Inputs): void {
  if (ignored.length === 0) return;
  const names = ignored.map((name) => `"${name}"`).join(", ");
  core.warning(
    service.type === "remote"
      ? `${names} have no effect with this "base-url": the service has models of its own.`
      : `${names} have no effect without a "base-url": the service runs inside this job.`,
  );
}

/** A name without a dot is a container beside the job; all else travels over a network. */
function warnOfPlainHttp(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = hostname === "[::1]" || hostname.startsWith("127.") || !hostname.includes(".");
  if (protocol === "http:" && !isNear) {
    core.warning(`"base-url" is plain http: whoever is on the way can read the job's tokens. Use https.`);
  }
}
