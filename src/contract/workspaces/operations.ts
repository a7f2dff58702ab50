// Operations of a workspace, which take a while, and their route. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { wholeNumber } from "../fields.ts";
import { accounts, defineRoute, nounRoutes, query } from "../route.ts";
import { COPY_ID, LATER_REVISION_ID, OPERATION_ID, WORKSPACE_ID } from "../story.ts";

export const operationKinds = [
  "checkpoint",
  "create_copy",
  "delete_copy",
  "adopt",
  "rollback_adoption",
  "erase_workspace",
] as const;
export type OperationKind = (typeof operationKinds)[number];

const MAX_OPERATION_WAIT_SECONDS = 30;

const timestamp = z.iso.datetime();

const common = {
  id: field(z.uuid(), "The operation's id."),
  workspace_id: field(z.uuid(), "The workspace's id."),
  kind: field(z.enum(operationKinds), "What is done."),
  progress: field(z.record(z.string(), z.unknown()), "How far it is; each kind has its own words for that."),
  created_at: field(timestamp, "When it was requested."),
};

const status = <Name extends string>(name: Name) =>
  field(z.literal(name), "Where it stands: `queued`, `running`, `succeeded` or `failed`.");

export const operationResultSchema = object({
  revision_id: field(z.optional(z.uuid()), "The revision that was made, or that was there already."),
  unchanged: field(z.optional(z.boolean()), "True where nothing had changed, so that no revision was made."),
  working_copy_id: field(z.optional(z.uuid()), "The working copy that was made or deleted."),
});

export const operationSchema = z.discriminatedUnion("status", [
  object({ status: status("queued"), ...common }),
  object({ status: status("running"), ...common }),
  object({
    status: status("succeeded"),
    ...common,
    result: field(operationResultSchema, "What came of it."),
    ended_at: field(timestamp, "When it ended."),
  }),
  object({
    status: status("failed"),
    ...common,
    error: field(
      object({
        code: field(z.string(), "One of the codes of refusals."),
        error: field(z.string(), "For people: what happened, and what to do."),
      }),
      "Why it failed.",
    ),
    ended_at: field(timestamp, "When it ended."),
  }),
]);
/** Work of the service that takes a while, to be polled until it has ended. A union on `status`. */
export type OperationView = z.infer<typeof operationSchema>;

/** Query text in, numbers out. */
export const operationQuerySchema = strictObject({
  wait: field(
    wholeNumber({ min: 0, max: MAX_OPERATION_WAIT_SECONDS, fallback: 0 }),
    "Seconds to wait for the operation's end, where it has not ended.",
  ),
});

export const operationComponents: Components = {
  Operation: component(operationSchema, "What takes a while in a workspace. A union on `status`."),
};

export const operationRoutes = nounRoutes("operations", "Copies and revisions", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/operations/{operationID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: operationSchema,
    summary: "Read an operation, or wait for its end",
    description:
      "What answers 202 names its operation in the header Location. An operation is kept for 30 days after its end, also when its workspace is deleted.",
    scopes: ["workspaces:read"],
    query: query(operationQuerySchema),
    answers: {
      200: {
        description: "The operation. Retry-After comes with one that goes on.",
        headers: ["Retry-After"],
      },
    },
  }),
});

const operation = {
  id: OPERATION_ID,
  workspace_id: WORKSPACE_ID,
  progress: {},
  created_at: "2026-03-09T10:12:00.000Z",
};

export const savedOperation = {
  ...operation,
  kind: "checkpoint" as const,
  status: "succeeded" as const,
  result: { revision_id: LATER_REVISION_ID, unchanged: false },
  ended_at: "2026-03-09T10:12:00.040Z",
};

export const copiedOperation = {
  ...operation,
  kind: "create_copy" as const,
  status: "succeeded" as const,
  result: { working_copy_id: COPY_ID },
  ended_at: "2026-03-09T10:12:00.000Z",
};

export const deletingOperation = {
  ...operation,
  kind: "delete_copy" as const,
  status: "running" as const,
};

export const operationExamples: ExamplesOf<typeof operationRoutes> = {
  get: {
    answers: {
      200: {
        operationSucceeded: { summary: "A checkpoint has made a revision", value: savedOperation },
        operationRunning: { summary: "A copy is being deleted", value: deletingOperation },
        operationFailed: {
          summary: "A run took the copy before it could be saved",
          value: {
            ...operation,
            kind: "checkpoint",
            status: "failed",
            error: {
              code: "copy_held",
              error: `Run 0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55 is at work in copy ${COPY_ID}. Wait until it has ended, or cancel it.`,
            },
            ended_at: "2026-03-09T10:12:01.000Z",
          },
        },
      },
    },
  },
};
