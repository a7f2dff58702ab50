// The routes of runs, and their schemas by the names that the document gives them. Pure.

import { type Components, component, oneOf } from "../component.ts";
import { submittedHeaders } from "../headers.ts";
import { accounts, defineRoute, jobsAndAccounts, jsonBody, nounRoutes, query } from "../route.ts";
import { aboutRequestSchema, runAboutSchema } from "./about.ts";
import { runDeliverySchema } from "./delivery.ts";
import { renewServerAccessRequestSchema, serverAccessSchema } from "./mcp-auth.ts";
import { mcpServerSchema } from "./mcp-servers.ts";
import { modelAccessSchema, renewModelAccessRequestSchema } from "./model-access.ts";
import { pullRequestSchema } from "./pull-request.ts";
import {
  cancelRunResponseSchema,
  modelUsageSchema,
  parkedSchema,
  roleUsageSchema,
  runListSchema,
  runSchema,
  submitRunResponseSchema,
} from "./run.ts";
import {
  forkRunRequestSchema,
  listRunsQuerySchema,
  messageSchema,
  partSchema,
  resumeRunRequestSchema,
  submitRunRequestSchema,
} from "./run-requests.ts";

export const runComponents: Components = {
  McpServer: component(mcpServerSchema, "An MCP server that a run has, reached by https."),
  Run: component(runSchema, "A run: its status and its accounting, without its output. A union on `status`."),
  RunList: component(runListSchema, "Runs, newest first."),
  ModelUsage: component(modelUsageSchema, "What one model used."),
  RoleUsage: component(roleUsageSchema, "What one role used."),
  Message: component(messageSchema, "A message of the conversation."),
  MessagePart: component(partSchema, "A part of a message."),
  PullRequest: component(pullRequestSchema, "A pull request, or merge request, of the job's own repository."),
  McpAccess: component(
    serverAccessSchema,
    "An access token that an MCP server's authorization server gave to the CI job. It is sent to that server alone.",
  ),
  RenewMcpAccessRequest: component(
    renewServerAccessRequestSchema,
    "Newer access tokens for the MCP servers of a run.",
  ),
  ModelAccess: component(
    modelAccessSchema,
    "An access token that a provider of models gave to the CI job for its ID token. It is sent to that provider alone.",
  ),
  RenewModelAccessRequest: component(renewModelAccessRequestSchema, "A newer access token for a run."),
  SubmitRunRequest: component(
    submitRunRequestSchema,
    "A run to queue. Exactly one of `message` and `messages` is required.",
    oneOf("message", "messages"),
  ),
  SubmitRunResponse: component(submitRunResponseSchema, "The run that was queued."),
  RunAbout: component(runAboutSchema, "What a run is about."),
  AboutRequest: component(aboutRequestSchema, "What a job's request is about, in its words."),
  RunDelivery: component(runDeliverySchema, "What the job of a run delivered, in its words."),
  Parked: component(parkedSchema, "What a parked run waits for, and until when."),
  ResumeRunRequest: component(resumeRunRequestSchema, "What a parked run goes on with."),
  ForkRunRequest: component(forkRunRequestSchema, "A turn of a run, at which a new run begins."),
  CancelRunResponse: component(cancelRunResponseSchema, "The run that was asked to end."),
};

/** Six megabytes of images in base 64, and the words. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_RESUME_BODY_BYTES = 512 * 1024;

export const runRoutes = nounRoutes("runs", "Runs", {
  submit: defineRoute("POST /v1/agents/{agentID}/runs", {
    callers: jobsAndAccounts,
    role: "member",
    repeat: "keyed",
    answer: submitRunResponseSchema,
    scopes: ["runs:write"],
    summary: "Queue a run",
    description:
      "With an idempotency key it is safe to repeat for 24 hours. `session_id` continues an existing session. `session_key` continues the session that this key of the caller's own names: its first use begins that session, and `new_session` begins it anew; `session_id` and `session_key` together are refused. Keys belong to the agent: whoever may submit runs of it reaches each of its sessions by the key. Runs of one session that change files take turns. With `pull_request` a job of GitHub or GitLab requests the head of a pull request of its repository instead of its own commit; a run whose `head_sha` is no longer in the history of that head fails and says so.",
    body: jsonBody(submitRunRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: {
        description: "Queued; or, with the key of an earlier request, the run that it made.",
        headers: submittedHeaders,
      },
    },
    refusals: [402, 409],
  }),
  list: defineRoute("GET /v1/agents/{agentID}/runs", {
    callers: jobsAndAccounts,
    role: "viewer",
    repeat: "safe",
    answer: runListSchema,
    scopes: ["runs:read"],
    summary: "List an agent's runs, newest first",
    query: query(listRunsQuerySchema),
    answers: { 200: { description: "A page of runs.", headers: ["Link"] } },
  }),
  get: defineRoute("GET /v1/agents/{agentID}/runs/{runID}", {
    callers: jobsAndAccounts,
    role: "viewer",
    repeat: "safe",
    answer: runSchema,
    scopes: ["runs:read"],
    summary: "Read a run's status and accounting",
    answers: { 200: "The run." },
  }),
  /** ApiError `run_finished` when it had ended. Safe to repeat. */
  cancel: defineRoute("POST /v1/agents/{agentID}/runs/{runID}/cancel", {
    callers: jobsAndAccounts,
    role: "member",
    repeat: "safe",
    answer: cancelRunResponseSchema,
    scopes: ["runs:write"],
    summary: "Ask a run to end",
    answers: { 202: "The run was asked to end." },
    refusals: [409],
  }),
  /** ApiError `run_not_parked` when it was continued before. */
  resume: defineRoute("POST /v1/agents/{agentID}/runs/{runID}/resume", {
    callers: jobsAndAccounts,
    role: "member",
    repeat: "once",
    answer: submitRunResponseSchema,
    scopes: ["runs:write"],
    summary: "Continue a parked run",
    description:
      "The same run goes on, with its conversation and its files. A limit is of the whole run: what it has used counts, so the limit that it reached has to be raised. The limit of turns and of time begins anew. 409 where the run is not parked, or what it waits for is not given.",
    body: jsonBody(resumeRunRequestSchema, MAX_RESUME_BODY_BYTES),
    answers: { 202: "The run goes on." },
    refusals: [402, 409],
  }),
  fork: defineRoute("POST /v1/agents/{agentID}/runs/{runID}/fork", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: submitRunResponseSchema,
    scopes: ["runs:write"],
    summary: "Fork a run at a turn",
    description:
      "Makes a new run, in a session of its own, that begins where the other one was before a turn: on the same commit, with the conversation as the model was sent it, and with the files. The other run is not changed. A run can be forked while it is at work, and for `JOURNAL_DAYS` after its end; one of a coding agent, of a workspace, or of a job's own access to a model has no journal to begin at, nor have turns before the latest summary of a long conversation. 409 where the turn is not kept.",
    body: jsonBody(forkRunRequestSchema, MAX_RESUME_BODY_BYTES),
    answers: {
      202: {
        description: "Queued; or, with the key of an earlier request, the run that it made.",
        headers: submittedHeaders,
      },
    },
    refusals: [402, 409],
  }),
});
