// The body of the step's submission: the prompt, the session that it continues, and the commit. Pure.

import { createHash } from "node:crypto";
import type { CiJob } from "../ci/provider.ts";
import type { EgressEntries } from "../contract/egress.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import type { TypedOutputs } from "../contract/runs/typed-outputs.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import { readContinuation } from "../github/trigger/continuation.ts";
import { reviewSchema } from "../job/findings/findings-schema.ts";
import { attemptsOf, boundsOf, type JobSubmission } from "../job/job-settings.ts";
import { sentServers } from "../job/mcp-servers.ts";
import type { OutputSubject } from "../job/outputs/applicable-outputs.ts";
import type { Inputs } from "./inputs.ts";

type RunRequestOptions = {
  readonly inputs: Inputs;
  /** The typed outputs that the job can write. Left out: none. */
  readonly outputs?: TypedOutputs | null;
  readonly request: AgentRequest;
  readonly job: Pick<CiJob, "job" | "step">;
  /** GITHUB_WORKFLOW_REF: the workflow's file, and the branch or tag that it runs on. */
  readonly workflowRef: string;
  /** GITHUB_ACTOR: who caused the event. Empty where nothing says it. */
  readonly actor?: string;
};

/** The same job gives the same body, so that a re-run finds its run. */
export function runRequest(options: RunRequestOptions): JobSubmission {
  const { inputs, request, outputs } = options;
  const { timeoutMinutes, egress, mcpServers, service } = inputs;
  const { maxTurnTokens, maxCostMicroUsd } = limitsOf(options);
  return {
    ...messageOf(request),
    ...{ ...noSession, ...sessionOf(options) },
    max_turn_tokens: maxTurnTokens ?? undefined,
    ...boundsOf({ maxCostMicroUsd, timeoutMs: timeoutMinutes * 60_000 }),
    output_schema: outputSchema(inputs, request) ?? undefined,
    // A review changes nothing that checks could compare.
    ...attemptsOf(requestsReview(inputs, request) ? { bestOf: 1, bestOfModels: null } : inputs),
    setup: inputs.setup?.path,
    egress: egress === null ? undefined : egressField(egress),
    // A service inside the job has them from its settings, with their secrets.
    mcp_servers: mcpServers === null || service.type === "embedded" ? undefined : sentServers(mcpServers),
    outputs: outputs ?? undefined,
    pull_request: headOf(request),
    may_park: true,
    // A service inside the job ends with it, and a job that does not wait sees no end of its run.
    about: service.type === "remote" ? aboutOf(options) : undefined,
    delivers: service.type === "remote" && inputs.wait ? true : undefined,
  };
}

/** For lists of runs. Without a command the request is the title of the issue, or the message itself. Undefined: nothing is known. */
function aboutOf({ request: { subject }, actor = "" }: RunRequestOptions): SubmitRunRequest["about"] {
  const who = subject?.asker?.login ?? actor;
  const type = outputSubjectOf(subject);
  const words = subject === null ? "" : requestWords(subject);
  if (who === "" && subject === null) return undefined;
  return {
    ...(words === "" ? {} : { request: words }),
    ...(who === "" ? {} : { actor: who.slice(0, MAX_ACTOR_CHARS) }),
    ...(subject === null || type === "none" ? {} : { subject: { type, number: subject.number } }),
  };
}

/** The service makes it one visible line. */
function requestWords({ command, title }: NonNullable<AgentRequest["subject"]>): string {
  const verb = command?.verb === "new" ? "" : (command?.verb ?? "");
  const said = command === null ? "" : `${verb} ${command.request}\n${command.preamble}`;
  const line = said.trim().split("\n", 1)[0] || title;
  return line.replaceAll("\0", "").slice(0, MAX_REQUEST_CHARS).toWellFormed();
}

/** As the contract has them, whose schemas are not to load here. */
const MAX_REQUEST_CHARS = 160;
const MAX_ACTOR_CHARS = 100;

/** The workflow's limits; a comment that continues a run may name others. */
function limitsOf({ inputs, request }: RunRequestOptions): Pick<Inputs, "maxTurnTokens" | "maxCostMicroUsd"> {
  const { maxTurnTokens, maxCostMicroUsd } = inputs;
  const command = request.subject?.command ?? null;
  const read = command?.verb === "continue" ? readContinuation(command.request) : null;
  if (read?.ok !== true) return { maxTurnTokens, maxCostMicroUsd };
  return {
    maxTurnTokens: read.value.maxTurnTokens ?? maxTurnTokens,
    maxCostMicroUsd: read.value.maxCostMicroUsd ?? maxCostMicroUsd,
  };
}

function messageOf({ prompt, images = [] }: AgentRequest): Pick<JobSubmission, "message" | "messages"> {
  if (images.length === 0) return { message: prompt, messages: undefined };
  const parts = images.map(({ name, mime, base64 }) => ({
    type: "image" as const,
    path: name,
    mime,
    data: base64,
  }));
  return { message: undefined, messages: [{ role: "user", content: prompt, parts }] };
}

/** A policy on the wire has a word for nothing, and no empty list. */
function egressField(entries: EgressEntries): SubmitRunRequest["egress"] {
  return entries.length === 0 ? "none" : [...entries];
}

const noSession = { session_id: undefined, session_key: undefined, new_session: undefined };

function sessionOf(
  options: RunRequestOptions,
): Pick<SubmitRunRequest, "session_id" | "session_key" | "new_session"> {
  const { session, service } = options.inputs;
  const { subject } = options.request;
  if (session.type === "id") return { session_id: session.id };
  // A service inside the job ends with the step, and its sessions with it.
  if (service.type !== "remote" || session.type === "new") return {};
  // Later requests continue the new session.
  if (subject?.command?.verb === "new") return { session_key: subjectKey(subject.number), new_session: true };
  const key = sessionKeyOf(options);
  return key === null ? {} : { session_key: key };
}

/**
 * Requests on one issue or pull request continue one session, until somebody begins a new one. So does a step whose
 * changes become a pull request: its next run updates the open pull request in place of opening a second one. Null for a
 * run that continues no session, or one that is named by its id.
 */
export function sessionKeyOf(options: RunRequestOptions): string | null {
  const { session, changes } = options.inputs;
  const { subject } = options.request;
  if (session.type !== "thread") return null;
  if (subject === null) return changes === "pull-request" ? workflowKey(options) : null;
  return subject.command?.verb === "new" ? null : subjectKey(subject.number);
}

/** One for each step of a workflow, branch and leg of the matrix: each has its own task. */
function workflowKey({ inputs, job, workflowRef }: RunRequestOptions): string {
  const file = /(?<![\w.-])([\w.-]+)@/.exec(workflowRef)?.[1] ?? "";
  const place = JSON.stringify([workflowRef, job.job, job.step, inputs.matrix]);
  const hash = createHash("sha256").update(place).digest("hex");
  return `workflow-${file.slice(0, MAX_FILE_CHARS)}-${hash.slice(0, HASH_CHARS)}`;
}

/** The file's name is for readers of the key; the hash tells steps apart. */
const MAX_FILE_CHARS = 100;
const HASH_CHARS = 32;

/** What typed outputs can be written to. */
export function outputSubjectOf(subject: AgentRequest["subject"]): OutputSubject {
  if (subject === null) return "none";
  if (subject.isPullRequest) return "pull_request";
  return subject.discussionId === undefined ? "issue" : "discussion";
}

/** Issues, pull requests and discussions of a repository share their numbers. */
export function subjectKey(number: number): string {
  return `thread-${number}`;
}

/**
 * The token of a comment's job names the default branch, that of a pull request's job a merge commit. Neither has the
 * lines that GitHub shows on the pull request.
 */
function headOf({ subject }: AgentRequest): SubmitRunRequest["pull_request"] {
  if (subject === null || subject.refs === null) return undefined;
  const { headSha, baseRef } = subject.refs;
  return { number: subject.number, head_sha: headSha, base_ref: baseRef };
}

function outputSchema(inputs: Inputs, request: AgentRequest): Inputs["outputSchema"] {
  return requestsReview(inputs, request) ? reviewSchema(request.earlierIds ?? []) : inputs.outputSchema;
}

/** Whether the run is to reply by the schema of a review. */
export function requestsReview(
  { outputSchema: given, findings }: Pick<Inputs, "outputSchema" | "findings">,
  { subject }: AgentRequest,
): boolean {
  if (given !== null || findings === "none" || subject?.isPullRequest !== true) return false;
  return subject.command === null || subject.command.verb === "review";
}
