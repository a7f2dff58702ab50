// What the step asks of the service: the prompt, whose conversation it goes on in, and on which commit. Pure.

import { createHash } from "node:crypto";
import type { CiJob } from "../ci/provider.ts";
import type { SubmitRunRequest } from "../contract/runs/run.ts";
import { findingsSchema } from "../github/findings/findings-schema.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import type { Inputs } from "./inputs.ts";

export type RunRequestOptions = {
  readonly inputs: Inputs;
  readonly request: AgentRequest;
  readonly job: Pick<CiJob, "job" | "step">;
  /** GITHUB_WORKFLOW_REF: the workflow's file, and the branch or tag that it runs on. */
  readonly workflowRef: string;
};

/** The body of the submission. The same job gives the same, so that it finds its run when it is run again. */
export function runRequest(options: RunRequestOptions): SubmitRunRequest {
  const { inputs, request } = options;
  const { maxTurnTokens } = inputs;
  const schema = outputSchema(inputs, request);
  return {
    message: request.prompt,
    ...sessionOf(options),
    ...(maxTurnTokens === null ? {} : { max_turn_tokens: maxTurnTokens }),
    ...(schema === null ? {} : { output_schema: schema }),
    ...headOf(request),
  };
}

function sessionOf(options: RunRequestOptions): Partial<SubmitRunRequest> {
  const { session, service } = options.inputs;
  const { subject } = options.request;
  if (session.type === "id") return { session_id: session.id };
  // One inside the job forgets it with the step.
  if (service.type !== "remote" || session.type === "new") return {};
  // What is said next goes on in the new one.
  if (subject?.command?.verb === "new") return { session_key: subjectKey(subject.number), new_session: true };
  const key = conversationKey(options);
  return key === null ? {} : { session_key: key };
}

/**
 * People who write about one thing go on in one conversation, until somebody begins another. So does a step whose
 * changes become a pull request: its next run brings the one that is open up to date, and opens no second one. Null for
 * a run that goes on in none, or in one that has an id.
 */
export function conversationKey(options: RunRequestOptions): string | null {
  const { session, changes } = options.inputs;
  const { subject } = options.request;
  if (session.type !== "thread") return null;
  if (subject === null) return changes === "pull-request" ? workflowKey(options) : null;
  return subject.command?.verb === "new" ? null : subjectKey(subject.number);
}

/** One for each step of a workflow on each branch, and for each leg of its matrix: they have tasks of their own. */
function workflowKey({ inputs, job, workflowRef }: RunRequestOptions): string {
  const file = /([\w.-]+)@/.exec(workflowRef)?.[1] ?? "";
  const place = JSON.stringify([workflowRef, job.job, job.step, inputs.matrix]);
  const hash = createHash("sha256").update(place).digest("hex");
  return `workflow-${file.slice(0, MAX_FILE_CHARS)}-${hash.slice(0, HASH_CHARS)}`;
}

/** For whoever reads the key: the hash is what tells steps apart. */
const MAX_FILE_CHARS = 100;
const HASH_CHARS = 32;

/** Issues and pull requests of a repository share their numbers. */
export function subjectKey(number: number): string {
  return `thread-${number}`;
}

/**
 * The token of a comment's job names the default branch, that of a pull request's a merge of it: what is found there is
 * on other lines than what the code host shows.
 */
function headOf({ subject }: AgentRequest): Partial<SubmitRunRequest> {
  if (subject === null || subject.refs === null) return {};
  const { headSha, baseRef } = subject.refs;
  return { pull_request: { number: subject.number, head_sha: headSha, base_ref: baseRef } };
}

function outputSchema(inputs: Inputs, request: AgentRequest): Inputs["outputSchema"] {
  return asksForReview(inputs, request) ? findingsSchema : inputs.outputSchema;
}

/** Whether the reply is held to the form of a review. */
export function asksForReview(
  { outputSchema: given, findings }: Pick<Inputs, "outputSchema" | "findings">,
  { subject }: AgentRequest,
): boolean {
  if (given !== null || findings === "none" || subject?.isPullRequest !== true) return false;
  return subject.command === null || subject.command.verb === "review";
}
