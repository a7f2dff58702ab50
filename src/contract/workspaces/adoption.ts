// The adoption of a repository agent's files by a workspace, under /v1/workspaces/{workspaceID}/storage. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "../route.ts";
import { AGENT_ID, OPERATION_ID, REVISION_ID, WORKSPACE_ID } from "../story.ts";
import { operationSchema } from "./operations.ts";

export const adoptionStatuses = ["running", "ready", "failed", "cancelled", "rolled_back"] as const;
export type AdoptionStatus = (typeof adoptionStatuses)[number];

export const adoptionSchema = object({
  agent_id: field(z.uuid(), "The agent."),
  status: field(z.enum(adoptionStatuses), "Where it stands."),
  sha: field(z.string(), "The commit."),
  objects: field(z.int(), "How many contents and folders have been stored."),
  bytes: field(z.int(), "Of these."),
  revision_id: field(z.nullable(z.uuid()), "The revision that was made; null until it is."),
  operation_id: field(z.uuid(), "The operation that adopts."),
  error: field(
    z.nullable(
      object({
        code: field(z.string(), "One of the codes of refusals."),
        error: field(z.string(), "For people."),
      }),
    ),
    "Why it failed.",
  ),
  created_at: field(z.iso.datetime(), "When it was requested."),
  ended_at: field(z.nullable(z.iso.datetime()), "When it ended; null until it has."),
});
export type AdoptionView = z.infer<typeof adoptionSchema>;

export const adoptRequestSchema = strictObject({
  agent_id: field(z.uuid(), "An agent of the account that has a repository."),
  sha: field(
    z.optional(
      z.string().check(z.regex(/^[0-9a-f]{40}$/, "must be a commit's whole name, 40 digits in lower case")),
    ),
    "A commit of that repository. Left out: the one that the agent's newest run from CI worked on.",
  ),
});
export type AdoptRequest = z.infer<typeof adoptRequestSchema>;

export const adoptionComponents: Components = {
  Adoption: component(adoptionSchema, "A workspace is filled with the files of an agent's repository."),
  AdoptRequest: component(adoptRequestSchema, "What to adopt."),
};

const MAX_BODY_BYTES = 64 * 1024;

export const adoptionRoutes = nounRoutes("adoption", "Workspaces", {
  start: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adopt", {
    callers: owners,
    role: "admin",
    repeat: "keyed",
    answer: operationSchema,
    summary: "Fill a workspace with the files of an agent's repository",
    description:
      "Needs the header Idempotency-Key. The workspace has no files yet. What is adopted is the commit `sha`, or the one that the agent's newest run from CI worked on. Nobody writes to the workspace meanwhile. Only the owner may.",
    body: jsonBody(adoptRequestSchema, MAX_BODY_BYTES),
    answers: { 202: { description: "The operation that adopts.", headers: ["Location"] } },
    refusals: [409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/storage/adoption", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: adoptionSchema,
    summary: "Read how far the workspace's newest adoption is",
    scopes: ["workspaces:read"],
    answers: { 200: "The adoption." },
  }),
  cancel: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adoption/cancel", {
    callers: accounts,
    role: "admin",
    repeat: "safe",
    answer: adoptionSchema,
    summary: "Cancel a running adoption",
    description: "The workspace is as it was before. Safe to repeat.",
    scopes: ["workspaces:write"],
    answers: { 200: "The adoption." },
    refusals: [409],
  }),
  rollback: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adoption/rollback", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: operationSchema,
    summary: "Undo an adoption after which nothing was accepted and nothing written to canonical files",
    description: "The revision that was adopted stays, and is not current any more. Only the owner may.",
    answers: { 202: { description: "The operation, which has ended.", headers: ["Location"] } },
    refusals: [409],
  }),
});

const adoption = {
  agent_id: AGENT_ID,
  status: "ready" as const,
  sha: "9c1185a5c5e9fc54612808977ee8f548b2258d31",
  objects: 431,
  bytes: 1_204_880,
  revision_id: REVISION_ID,
  operation_id: OPERATION_ID,
  error: null,
  created_at: "2026-03-09T10:00:00.000Z",
  ended_at: "2026-03-09T10:00:04.000Z",
};
const operation = {
  id: OPERATION_ID,
  workspace_id: WORKSPACE_ID,
  progress: {},
  created_at: "2026-03-09T10:00:00.000Z",
};
const ended = { ended_at: "2026-03-09T10:05:00.000Z", result: { revision_id: REVISION_ID } };

export const adoptionExamples: ExamplesOf<typeof adoptionRoutes> = {
  start: {
    body: { adopt: { summary: "The repository of an agent", value: { agent_id: AGENT_ID } } },
    answers: {
      202: {
        adopting: { summary: "It is adopted", value: { ...operation, kind: "adopt", status: "running" } },
      },
    },
  },
  get: { answers: { 200: { adoption: { summary: "It is adopted", value: adoption } } } },
  cancel: {
    answers: {
      200: {
        adoptionCancelled: {
          summary: "It was cancelled",
          value: { ...adoption, status: "cancelled", revision_id: null },
        },
      },
    },
  },
  rollback: {
    answers: {
      202: {
        rolledBack: {
          summary: "It is undone",
          value: { ...operation, ...ended, kind: "rollback_adoption", status: "succeeded" },
        },
      },
    },
  },
};
