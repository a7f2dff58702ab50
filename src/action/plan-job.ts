// The plan of this step: the request of the event, the right to make it, and the task that follows.

import * as core from "@actions/core";
import { ok } from "../base/result.ts";
import type { CiJob } from "../ci/provider.ts";
import type { TypedOutputs } from "../contract/runs/typed-outputs.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import { decideRequest } from "../github/trigger/decide-request.ts";
import { faultOf } from "../job/fault.ts";
import type { Task } from "../job/job-types.ts";
import { applicableOutputs, notWritableText } from "../job/outputs/applicable-outputs.ts";
import type { StatusComment } from "../job/status-comment/status-comment.ts";
import type { ActionPlan, ActionStep, ActionTypes } from "./action-types.ts";
import { githubAccess, openCodeHost } from "./github-access.ts";
import type { Inputs } from "./inputs.ts";
import type { ModelInputs } from "./model-inputs.ts";
import { outputSubjectOf, runRequest } from "./run-request.ts";
import { sayLine } from "./say-line.ts";

/** Rejects with Declined where the event may start nothing, and as the doctor does. */
export async function planJob(
  step: ActionStep,
  { inputs, outputs: declared }: Pick<ActionTypes["settings"], "inputs" | "outputs">,
): Promise<ActionPlan> {
  if (inputs.mode === "doctor") return await examine(step, inputs);
  const { job } = step.github;
  const signal = step.interrupts.first;
  const asked = await decideRequest({ ...githubAccess(step), inputs, job, signal, onNote: sayLine });
  const { service } = inputs;
  if (service.type === "embedded" && asked.subject?.command?.verb !== "help" && lacksKey(service.model)) {
    const { requireModelKey } = await import("./require-model-key.ts");
    await requireModelKey(step, service.model);
  }
  const statusComment = await openComment(step, { inputs, request: asked });
  const shown = await withImages(step, { inputs, request: asked });
  const request = inputs.failedJobLogs ? await withFailedJobs(step, { inputs, request: shown, job }) : shown;
  return {
    task: await taskOf(step, { inputs, request, job, outputs: writableOutputs(declared, request) }),
    request,
    statusComment,
    threadPhrase: threadPhraseOf(inputs, request),
  };
}

/** Whether a model is asked without a key, and without a token in its place. */
function lacksKey(model: ModelInputs | null): model is ModelInputs {
  return model !== null && model.federation === null && model.apiKey === null;
}

async function examine(step: ActionStep, inputs: Inputs): Promise<ActionPlan> {
  const { examineStep } = await import("./doctor.ts");
  const outcome = await examineStep(step, inputs);
  return { task: { type: "none", outcome }, request: null, statusComment: null, threadPhrase: null };
}

/** Comments reach the session of the step's run where it is that of the thread. */
function threadPhraseOf(
  { service, session, mode, triggerPhrase }: Inputs,
  { subject }: AgentRequest,
): string | null {
  const isThread = subject !== null && session.type === "thread" && mode === "run";
  return isThread && service.type === "remote" ? triggerPhrase : null;
}

type Requested = { readonly inputs: Inputs; readonly request: AgentRequest; readonly job: CiJob };

/** The request with the images that its texts show. */
async function withImages(
  step: ActionStep,
  { inputs, request }: Omit<Requested, "job">,
): Promise<AgentRequest> {
  const { prompt, subject } = request;
  if (subject === null || inputs.mode !== "run" || !prompt.includes("![image](")) return request;
  const codeHost = await openCodeHost(step, inputs);
  const found = await codeHost.readThreadImages({ prompt, subject });
  if (found.said !== null) sayLine(found.said);
  const parts = [prompt, found.prompt].filter((part) => part !== "");
  return { ...request, prompt: parts.join("\n\n"), images: found.images };
}

/** The request of a new run, with what the failed jobs of its commit printed. */
async function withFailedJobs(step: ActionStep, { inputs, request, job }: Requested): Promise<AgentRequest> {
  const { subject } = request;
  const headSha = subject === null ? job.sha : subject.refs?.headSha;
  const verb = subject?.command?.verb;
  if (
    headSha === undefined ||
    inputs.mode !== "run" ||
    verb === "help" ||
    verb === "cancel" ||
    verb === "continue"
  )
    return request;
  const codeHost = await openCodeHost(step, inputs);
  const { prompt, said } = await codeHost.readFailedJobs({ headSha, seed: job.runId });
  if (said.type === "warning") core.warning(said.text);
  else sayLine(said.text);
  return prompt === "" ? request : { ...request, prompt: `${request.prompt}\n\n${prompt}` };
}

/** On an issue or a pull request, its people see at once that the request was received. */
async function openComment(
  step: ActionStep,
  { inputs, request }: Omit<Requested, "job">,
): Promise<StatusComment | null> {
  const { subject } = request;
  if (subject === null || !inputs.comment) return null;
  const codeHost = await openCodeHost(step, inputs);
  const { matrix } = inputs;
  const statusComment = await codeHost.openStatusComment({ subject, matrix, onWarning: core.warning });
  if (statusComment === null) {
    sayLine("The job of a fork's pull request can write no comment: the answer is in the job summary.");
    return null;
  }
  statusComment.acknowledge();
  return statusComment;
}

/** Those of the declared outputs that this job can write. */
function writableOutputs(declared: TypedOutputs | null, { subject }: AgentRequest): TypedOutputs | null {
  if (declared === null) return null;
  const about = outputSubjectOf(subject);
  const outputs = applicableOutputs(declared, about);
  const left = Object.keys(declared).filter((type) => outputs === null || !Object.hasOwn(outputs, type));
  if (left.length > 0) sayLine(notWritableText(left, about));
  return outputs;
}

/** A comment may request help or the end of a run in place of a run. */
async function taskOf(
  { env }: ActionStep,
  { inputs, request, job, outputs }: Requested & { readonly outputs: TypedOutputs | null },
): Promise<Task> {
  const verb = inputs.mode === "run" ? request.subject?.command?.verb : undefined;
  if (verb === "help") {
    const { helpText } = await import("../github/trigger/comment-command.ts");
    const message = helpText(inputs.triggerPhrase);
    return { type: "none", outcome: { type: "answered", reason: "help", message } };
  }
  if (inputs.mode === "cancel" || verb === "cancel") {
    const { cancelTask } = await import("./cancel-task.ts");
    return cancelTask(inputs, request.subject);
  }
  if (inputs.mode === "attach") return { type: "attach", runId: inputs.runId ?? "" };
  const continues = verb === "continue" ? await continuation(inputs, request) : ok(null);
  if (!continues.ok) return { type: "none", outcome: { type: "fault", fault: faultOf(continues.refusal) } };
  const { GITHUB_WORKFLOW_REF: workflowRef = "", GITHUB_ACTOR: actor = "" } = env;
  const body = runRequest({ inputs, outputs, request, job, workflowRef, actor });
  return { type: "run", body, job, matrix: inputs.matrix, continues: continues.value };
}

async function continuation(inputs: Inputs, { subject }: AgentRequest) {
  const { continuationOf } = await import("./continue-task.ts");
  return continuationOf(inputs, subject);
}
