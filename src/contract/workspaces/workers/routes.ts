// The routes of workers, and their schemas by the names that the document gives them. Pure.

import { type Components, component, oneOf } from "../../component.ts";
import { submittedHeaders } from "../../headers.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import {
  listWorkersQuerySchema,
  startWorkerRequestSchema,
  workerListSchema,
  workerSchema,
} from "./worker.ts";

export const workerComponents: Components = {
  Worker: component(workerSchema, "A run in a copy, for a task group."),
  WorkerList: component(workerListSchema, "A page of workers, newest first."),
  StartWorkerRequest: component(
    startWorkerRequestSchema,
    "A worker to start. Exactly one of `message` and `messages` is needed, and at most one of `working_copy_id` and `base_revision_id`.",
    oneOf("message", "messages"),
  ),
};

/** As of an agent's runs. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const workerRoutes = nounRoutes("workers", "Workers", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/workers", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workerListSchema,
    summary: "List a workspace's workers, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkersQuerySchema),
    answers: { 200: "A page of workers." },
  }),
  start: defineRoute("POST /v1/workspaces/{workspaceID}/workers", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: workerSchema,
    summary: "Start a worker: a run in a copy, for a task group",
    description:
      "Makes the copy, where none is named, the run and the worker at once. The run alone writes in the copy until it has ended; what it changed is then saved as a revision, also where it was cancelled or failed. That the run has completed does not say that: read `save_state`. With an idempotency key it is safe to repeat for 24 hours.",
    scopes: ["workspaces:write", "runs:write"],
    body: jsonBody(startWorkerRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: {
        description: "The worker; with the key of an earlier request the one that it started.",
        headers: submittedHeaders,
      },
    },
    refusals: [402, 409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/workers/{workerRequestID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workerSchema,
    summary: "Read a worker",
    scopes: ["workspaces:read"],
    answers: { 200: "The worker." },
  }),
});
