// The results of a completed run on GitHub: its findings and its changes.

import * as core from "@actions/core";
import type { Environment } from "../base/environment.ts";
import type { Run } from "../contract/runs/run.ts";
import type { CodeHost } from "../github/code-host.ts";
import type { Pushed } from "../job/changes/pushed-commit.ts";
import type { HandedOver } from "../job/job-types.ts";
import type { Following } from "../job/progress.ts";
import { refusedLines, writtenLines } from "../render/outputs-section.ts";
import type { Delivery } from "../report/delivery.ts";
import type { ActionStep, ActionTypes } from "./action-types.ts";
import { openCodeHost } from "./github-access.ts";
import { BUILT_IN } from "./input-kinds.ts";
import { outputSubjectOf, requestsReview, sessionKeyOf } from "./run-request.ts";
import { sayLine } from "./say-line.ts";

type Completed = Following<ActionTypes>;

/** Does what the inputs "findings", "changes" and "outputs" say. */
export async function handOver(step: ActionStep, completed: Completed, run: Run): Promise<HandedOver> {
  const { inputs, outputs } = completed.settings;
  const { changes, findings } = inputs;
  if (changes !== "commit" && changes !== "pull-request" && findings === "none" && outputs === null) {
    return { delivery: null, attestation: null, findings: null, outputs: null };
  }
  const codeHost = await openCodeHost(step, inputs);
  const published = await publish(step, { completed, codeHost });
  const { delivery, pushed } = await deliver(step, { completed, codeHost });
  return {
    findings: published,
    delivery,
    attestation: await attest(step, { completed, codeHost, run, delivery, pushed }),
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
  { env, github: { job } }: ActionStep,
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

type Delivered = Pick<HandedOver, "delivery"> & {
  /** The commit that this attempt pushed, or vouches for. */
  readonly pushed: Pushed | null;
};

async function deliver(step: ActionStep, { completed, codeHost }: Handover): Promise<Delivered> {
  const { settings, plan, run, log } = completed;
  const { changes: mode, branchPrefix, signedCommits, attest: isAttested } = settings.inputs;
  const { changes } = log.report;
  if (mode !== "commit" && mode !== "pull-request") return { delivery: null, pushed: null };
  if (changes === null) return { delivery: { type: "none" }, pushed: null };
  const pushes: Pushed[] = [];
  const delivery = await codeHost.deliverChanges({
    mode,
    changes,
    run: { ...run, sessionId: embeddedSession(step, completed) ?? run.sessionId },
    reply: log.reply(),
    prompt: plan.request?.prompt ?? "",
    subject: plan.request?.subject ?? null,
    branchPrefix,
    signedCommits,
    onPushed: isAttested ? (one) => pushes.push(one) : null,
    setSecret: core.setSecret,
    onNote: sayLine,
  });
  return { delivery, pushed: pushes.at(-1) ?? null };
}

/** The signed statement about the pushed commit. The push stands, whatever comes of it. */
async function attest(
  step: ActionStep,
  { completed, codeHost, run, delivery, pushed }: Handover & Delivered & { readonly run: Run },
): Promise<HandedOver["attestation"]> {
  const { settings, plan, log, service, grant } = completed;
  const { inputs } = settings;
  if (!inputs.attest || (delivery?.type !== "commit" && delivery?.type !== "pull_request")) return null;
  if (pushed === null) {
    sayLine("Nothing is attested: this attempt of the job has pushed no commit.");
    return null;
  }
  const isEmbedded = service.type === "embedded";
  const { sessionId } = completed.run;
  const attestation =
    pushed.type === "unread"
      ? unread(pushed)
      : await codeHost.attestCommit({
          commit: pushed.commit,
          prompt: inputs.mode === "run" ? (plan.request?.prompt ?? null) : null,
          subject: plan.request?.subject ?? null,
          run: { id: run.id, sessionId, serviceUrl: isEmbedded ? null : service.baseUrl },
          ended: run,
          report: log.report,
          agent: isEmbedded ? { name: agentNameOf(inputs), id: null } : { name: null, id: grant.agent_id },
          egress: inputs.egress,
          mcpServers: serverNames(inputs),
          eventsPath: log.files.eventsPath,
          mintIdToken: step.github.mintIdToken,
          setSecret: core.setSecret,
        });
  if (attestation.type === "failed") core.warning(attestation.message);
  else sayLine(`Attested commit ${attestation.sha.slice(0, 7)}: ${attestation.url}`);
  return attestation;
}

function unread({ sha, why }: Extract<Pushed, { type: "unread" }>): NonNullable<HandedOver["attestation"]> {
  const message = `Commit ${sha.slice(0, 7)} is pushed, and not attested: it could not be read again. ${why} Re-run the job: it attests the commit that is there.`;
  return { type: "failed", message };
}

/** The repository's own are named by their file. */
function serverNames({ mcpServers }: ActionTypes["settings"]["inputs"]): readonly string[] {
  if (mcpServers === null) return [];
  return mcpServers.servers === null ? [mcpServers.text] : Object.keys(mcpServers.servers);
}

function agentNameOf({ service }: ActionTypes["settings"]["inputs"]): string {
  return (service.type === "embedded" ? service.model?.agent : null) ?? BUILT_IN;
}

/** What the run asked for, once more within what this job declares. */
async function write(
  { github: { job } }: ActionStep,
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
  { env, github: { job } }: ActionStep,
  { service, settings: { inputs }, plan: { request } }: Completed,
): string | null {
  if (service.type !== "embedded" || request === null) return null;
  return sessionKeyOf({ inputs, request, job, workflowRef: env.GITHUB_WORKFLOW_REF ?? "" });
}
