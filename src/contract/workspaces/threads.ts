// The sessions of a workspace, and their routes under /v1/workspaces/{workspaceID}/threads. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { bodyKey, text } from "../fields.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, query } from "../route.ts";
import { AGENT_ID, THREAD_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery, pageQueryTexts } from "./record.ts";

export const MAX_THREAD_TITLE_CHARS = 255;

export const threadSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  agent_id: z.uuid(),
  title: z.nullable(z.string()),
  created_at: z.iso.datetime(),
});
export type ThreadView = z.infer<typeof threadSchema>;

export const threadListSchema = listOf(threadSchema);

export const listThreadsQuerySchema = strictObject(pageQuery);

export const createThreadRequestSchema = strictObject({
  title: z.optional(text(MAX_THREAD_TITLE_CHARS)),
  /** A member. Left out: the workspace's manager. */
  agent_id: z.optional(z.uuid()),
  ...bodyKey,
});
export type CreateThreadRequest = z.infer<typeof createThreadRequestSchema>;

export const threadComponents: Components = {
  Thread: component(threadSchema, "A session of one agent in a workspace: its runs continue one another.", {
    id: "The session's id: the `thread_id` of its runs.",
    workspace_id: "The workspace.",
    agent_id: "The agent whose session it is.",
    title: "What it is called; null where a run began it, or nobody said.",
    created_at: "When it began.",
  }),
  ThreadList: component(threadListSchema, "A page of sessions, newest first.", {
    items: "The sessions.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateThreadRequest: component(createThreadRequestSchema, "The session to begin.", {
    title: "What it is called.",
    agent_id: "A member of the workspace. Left out: its manager.",
    idempotency_key: "Makes the request safe to repeat for 24 hours. The header wins over it.",
  }),
};

const MAX_BODY_BYTES = 16 * 1024;

export const threadRoutes = nounRoutes("threads", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
    repeat: "safe",
    answer: threadListSchema,
    summary: "List the sessions of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listThreadsQuerySchema, pageQueryTexts),
    answers: { 200: "A page of sessions." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
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
