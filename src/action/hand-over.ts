// The results of a completed run on GitHub: its findings and its changes.

import * as core from "@actions/core";
import type { Environment } from "../base/environment.ts";
import type { CodeHost } from "../github/code-host.ts";
import type { HandedOver } from "../job/job-types.ts";
import type { Following } from "../job/progress.ts";
import { refusedLines, writtenLines } from "../render/outputs-section.ts";
import type { Delivery } from "../report/delivery.ts";
import type { ActionTypes, Step } from "./action-types.ts";
import { openCodeHost } from "./github-access.ts";
import { outputSubjectOf, requestsReview, sessionKeyOf } from "./run-request.ts";
import { sayLine } from "./say-line.ts";

type Completed = Following<ActionTypes>;

/** Does what the inputs "findings", "changes" and "outputs" say. */
export async function handOver(step: Step, completed: Completed): Promise<HandedOver> {
  const { inputs, outputs } = completed.settings;
  const { changes, findings } = inputs;
  if (changes !== "commit" && changes !== "pull-request" && findings === "none" && outputs === null) {
    return { delivery: null, findings: null, outputs: null };
  }
  const codeHost = await openCodeHost(step, inputs);
  return {
    findings: await publish(step, { completed, codeHost }),
    delivery: await deliver(step, { completed, codeHost }),
    outputs: await write(step, { completed, codeHost }),
  };
}

/** The changes of a run that was cut stay in the patch file. */
export function withhold({ settings, log }: Completed): Delivery | null {
  const { changes: mode } = settings.inputs;
  const isWanted = mode === "commit" || mode === "pull-request";
  if (!isWanted || (log.report.changes?.patch ?? "") === "") return null;
  const message = 'Nothing was pushed. The output "patch-file" has the changes.';
  return { type: "withheld", message };
}

type Handover = { readonly completed: Completed; readonly codeHost: CodeHost };

/** Null also where the request was a question: its reply has no findings, and needs no warning about that. */
async function publish(
  { env, github: { job } }: Step,
  { completed, codeHost }: Handover,
): Promise<HandedOver["findings"]> {
  const { settings, plan, run, log } = completed;
  const { request } = plan;
  const { output } = log.report;
  const { findings: mode, checkRun, failOnSeverity: threshold } = settings.inputs;
  const headSha = request?.subject?.refs?.headSha ?? job.sha;
  const isExpected = request !== null && requestsReview(settings.inputs, request);
  if (mode === "none" || (output === null && !isExpected)) return null;
  return await codeHost.publishFindings({
    mode,
    reviewed: settings.inputs,
    checkRun: checkRun ? { name: checkRunName(env), headSha } : null,
    threshold,
    output,
    isExpected,
    subject: request?.subject ?? null,
    run,
    annotator: { error: core.error, warning: core.warning, notice: core.notice },
    onNote: sayLine,
  });
}

/** One for each job: the rules of a branch name it. */
function checkRunName({ GITHUB_WORKFLOW, GITHUB_JOB }: Environment): string {
  return [GITHUB_WORKFLOW, GITHUB_JOB, "findings"].filter((part) => part).join(" / ");
}

async function deliver(step: Step, { completed, codeHost }: Handover): Promise<HandedOver["delivery"]> {
  const { settings, plan, run, log } = completed;
  const { changes: mode, branchPrefix, signedCommits } = settings.inputs;
  const { changes } = log.report;
  if (mode !== "commit" && mode !== "pull-request") return null;
  if (changes === null) return { type: "none" };
  return await codeHost.deliverChanges({
    mode,
    changes,
    run: { ...run, sessionId: embeddedSession(step, completed) ?? run.sessionId },
    reply: log.reply(),
    prompt: plan.request?.prompt ?? "",
    subject: plan.request?.subject ?? null,
    branchPrefix,
    signedCommits,
    setSecret: core.setSecret,
    onNote: sayLine,
  });
}

/** What the run asked for, once more within what this job declares. */
async function write(
  { github: { job } }: Step,
  { completed, codeHost }: Handover,
): Promise<HandedOver["outputs"]> {
  const { settings, plan, run, log, service } = completed;
  const { outputs: declared } = settings;
  if (declared === null) return null;
  const { state, typedOutputs } = log.report;
  const subject = plan.request?.subject ?? null;
  const outputs = await codeHost.writeOutputs({
    declared,
    asked: typedOutputs,
    subject: { type: outputSubjectOf(subject), number: subject?.number ?? null },
    // A later attempt of a job has another run of its own service.
    runKey: service.type === "embedded" ? `${job.runId} ${settings.inputs.matrix}` : run.id,
    startedAtMs: state.status === "unknown" ? 0 : state.startedAtMs,
  });
  for (const line of writtenLines(outputs)) sayLine(line);
  for (const line of refusedLines(outputs)) core.warning(line);
  return outputs;
}

/** An embedded service has no session of earlier runs: the session key finds the pull request that they opened. */
function embeddedSession(
  { env, github: { job } }: Step,
  { service, settings: { inputs }, plan: { request } }: Completed,
): string | null {
  if (service.type !== "embedded" || request === null) return null;
  return sessionKeyOf({ inputs, request, job, workflowRef: env.GITHUB_WORKFLOW_REF ?? "" });
}
