// The sessions of a workspace, and their routes under /v1/workspaces/{workspaceID}/threads. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { bodyKey, text } from "../fields.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, query } from "../route.ts";
import { AGENT_ID, THREAD_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery } from "./record.ts";

const MAX_THREAD_TITLE_CHARS = 255;

export const threadSchema = object({
  id: field(z.uuid(), "The session's id: the `thread_id` of its runs."),
  workspace_id: field(z.uuid(), "The workspace."),
  agent_id: field(z.uuid(), "The agent whose session it is."),
  title: field(z.nullable(z.string()), "What it is called; null where a run began it, or nobody said."),
  created_at: field(z.iso.datetime(), "When it began."),
});
export type ThreadView = z.infer<typeof threadSchema>;

export const threadListSchema = listOf(threadSchema, "The sessions.");

export const listThreadsQuerySchema = strictObject(pageQuery);

export const createThreadRequestSchema = strictObject({
  title: field(z.optional(text(MAX_THREAD_TITLE_CHARS)), "What it is called."),
  agent_id: field(z.optional(z.uuid()), "A member of the workspace. Left out: its manager."),
  ...bodyKey,
});
export type CreateThreadRequest = z.infer<typeof createThreadRequestSchema>;

export const threadComponents: Components = {
  Thread: component(threadSchema, "A session of one agent in a workspace: its runs continue one another."),
  ThreadList: component(threadListSchema, "A page of sessions, newest first."),
  CreateThreadRequest: component(createThreadRequestSchema, "The session to begin."),
};

const MAX_BODY_BYTES = 16 * 1024;

export const threadRoutes = nounRoutes("threads", "Work in workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: threadListSchema,
    summary: "List the sessions of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listThreadsQuerySchema),
    answers: { 200: "A page of sessions." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: threadSchema,
    summary: "Begin a session in a workspace",
    description: "It starts no run. A run of the workspace continues it by `session_id`.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createThreadRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The session." },
    refusals: [409],
  }),
});

const thread = {
  id: THREAD_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  title: "Release notes",
  created_at: "2026-03-09T10:02:00.000Z",
};

export const threadExamples: ExamplesOf<typeof threadRoutes> = {
  list: {
    answers: { 200: { threadList: { summary: "One session", value: { items: [thread], next_cursor: "" } } } },
  },
  create: {
    body: { threadToBegin: { summary: "A session of the manager", value: { title: "Release notes" } } },
    answers: { 201: { threadBegun: { summary: "A new session", value: thread } } },
  },
};
