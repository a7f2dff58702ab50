// The main step, as a recipe: read inputs, identify the job, exchange, submit, announce, watch, conclude.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { jobEnvironment } from "../ci/environment.ts";
import type { CiJob, CiProvider, Environment } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import { helpText } from "../github/trigger/comment-command.ts";
import { decideRequest } from "../github/trigger/decide-request.ts";
import type { Outcome } from "../job/conclusion.ts";
import { type JobRun, submitOnce } from "../job/idempotency.ts";
import { InterruptedError, listenForInterrupts } from "../job/signals.ts";
import { StepError } from "../job/step-error.ts";
import { watchRun } from "../job/watch-run.ts";
import { conclude } from "./conclude.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import { runRequest, subjectKey } from "./run-request.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";
import { githubAccess, identify, type Step, speakUp } from "./step.ts";
import { openService, takeCapability } from "./step-service.ts";
import { openTransport } from "./transport.ts";

/** Runs the whole step. Sets the exit code; never rejects for what a user can meet. */
export async function runAgent(env: Environment = jobEnvironment): Promise<void> {
  const interrupts = listenForInterrupts();
  const transport = openTransport();
  const progress: Progress = {
    inputs: null,
    request: null,
    statusComment: null,
    embedded: null,
    grant: null,
    isSubmitting: false,
    run: null,
    files: null,
    log: null,
    findings: null,
    delivery: null,
    commentUrl: null,
  };
  try {
    const outcome = await executeRun({ env, interrupts, transport, progress }).catch((error: unknown) =>
      failedOutcome(error, progress),
    );
    await conclude({ env, outcome, progress, transport: transport.send, signal: interrupts.first });
  } finally {
    await progress.embedded?.close().catch(() => {
      core.warning("The service inside this job left its folder behind.");
    });
    await progress.files?.close();
    transport.close();
    interrupts.close();
  }
}

async function executeRun(step: Step): Promise<Outcome> {
  const { interrupts, progress } = step;
  const modelKey = core.getInput("model-api-key");
  if (modelKey !== "") core.setSecret(modelKey);
  const inputs = readInputs((name) => core.getInput(name));
  progress.inputs = inputs;
  warnOfIgnored(inputs);
  if (inputs.mode === "doctor") return await (await import("./doctor.ts")).examine(step, inputs);
  const github = identify(step);
  const request = await decideRequest({
    ...githubAccess(step),
    inputs,
    job: github.job,
    signal: interrupts.first,
  });
  progress.request = request;
  if (request.subject !== null && inputs.comment)
    await speakUp(step, { inputs, subject: request.subject, job: github.job });
  const task = taskOf(inputs, request);
  if (task === "help") return { type: "answered", reason: "help", message: helpText(inputs.triggerPhrase) };
  if (task === "cancel") return await cancel(step, { inputs, request, github });
  await checkOut(step, { inputs, request });
  const service = await openService(step, { inputs, github });
  const { client, grant } = await takeCapability(step, { inputs, service });
  const agentId = grant.agent_id;
  interrupts.first.throwIfAborted();
  const run =
    task === "attach"
      ? await findRun(step, { client, agentId, runId: inputs.runId ?? "" })
      : await submit(step, { inputs, request, client, agentId, job: service.provider.job });
  const url = `${service.baseUrl}/v1/ci/runs/${encodeURIComponent(run.runId)}`;
  const shownUrl = progress.embedded === null ? url : null;
  announce(run, shownUrl);
  progress.isSubmitting = false;
  progress.run = { id: run.runId, url: shownUrl, sessionId: run.sessionId };
  progress.statusComment?.begin({ id: run.runId });
  if (!inputs.wait) return { type: "detached", runUrl: url, interrupted: false };
  leaveState({ agentId, runId: run.runId, phase: "submitted" });
  return follow(step, { inputs, client, agentId, runId: run.runId, url });
}

/** A comment may ask for less than a run. */
function taskOf({ mode }: Inputs, { subject }: AgentRequest): Inputs["mode"] | "help" {
  const verb = subject?.command?.verb;
  return mode === "run" && (verb === "help" || verb === "cancel") ? verb : mode;
}

async function submit(
  { env, interrupts, progress }: Step,
  {
    inputs,
    request,
    ...where
  }: { inputs: Inputs; request: AgentRequest; client: JobClient; agentId: string; job: CiJob },
): Promise<JobRun> {
  progress.isSubmitting = true;
  const workflowRef = env.GITHUB_WORKFLOW_REF ?? "";
  return await submitOnce({
    ...where,
    body: runRequest({ inputs, request, job: where.job, workflowRef }),
    matrix: inputs.matrix,
    signal: interrupts.last,
  });
}

/** A run that another step or job of the repository has started. */
async function findRun(
  { interrupts }: Step,
  { client, agentId, runId }: { client: JobClient; agentId: string; runId: string },
): Promise<JobRun> {
  try {
    const { thread_id: sessionId } = await client.getRun({ agentId, runId, signal: interrupts.first });
    return { runId, sessionId, attached: true };
  } catch (cause) {
    if (!(cause instanceof ApiError && cause.status === 404)) throw cause;
    const message = `This repository has no run "${runId}" at the service. Give "run-id" the output of the step that started it.`;
    throw new StepError("run_not_found", message, { cause });
  }
}

async function cancel(
  step: Step,
  { inputs, request, github }: { inputs: Inputs; request: AgentRequest; github: CiProvider },
): Promise<Outcome> {
  const { cancelRuns, refuseCancel, runsInFlight } = await import("./cancel-runs.ts");
  const { subject } = request;
  refuseCancel({ inputs, subject });
  const service = await openService(step, { inputs, github });
  const { client, grant } = await takeCapability(step, { inputs, service });
  const options = { client, agentId: grant.agent_id, clock: systemClock, signal: step.interrupts.first };
  const key = subjectKey(subject?.number ?? 0);
  const runIds = inputs.runId === null ? await runsInFlight(key, options) : [inputs.runId];
  return { type: "cancelled_runs", runIds: await cancelRuns(runIds, options) };
}

/** A service inside the job works on the job's checkout, which a comment's job has at the default branch. */
async function checkOut(
  { env, interrupts }: Step,
  { inputs, request }: { inputs: Inputs; request: AgentRequest },
): Promise<void> {
  const { subject } = request;
  if (
    inputs.service.type !== "embedded" ||
    subject === null ||
    subject.comment === null ||
    subject.refs === null
  )
    return;
  const { checkOutHead } = await import("../github/git/check-out-head.ts");
  await checkOutHead({
    env,
    pullRequest: {
      number: subject.number,
      headSha: subject.refs.headSha,
      baseRef: subject.refs.baseRef,
    },
    token: inputs.githubToken,
    setSecret: core.setSecret,
    signal: interrupts.first,
  });
}

/** Before anything can fail: whoever reads the log must be able to find the run. */
function announce(run: { runId: string; sessionId: string; attached: boolean }, url: string | null): void {
  sayLine(run.attached ? `Attached to run ${run.runId} that was started earlier.` : `Run ${run.runId}`);
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
    idleMs: inputs.idleMinutes === null ? null : inputs.idleMinutes * 60_000,
    clock: systemClock,
    onEvent: (stored) => {
      log.add(stored);
      progress.statusComment?.update(log.report);
    },
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

function warnOfIgnored({ ignored, service }: Inputs): void {
  if (ignored.length === 0) return;
  const names = ignored.map((name) => `"${name}"`).join(", ");
  core.warning(
    service.type === "remote"
      ? `${names} have no effect with this "base-url": the service has models of its own.`
      : `${names} have no effect without a "base-url": the service runs inside this job.`,
  );
}
