// The routes of task groups, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { costsQuerySchema, costsSchema } from "../workspace/workspace.ts";
import {
  createTaskGroupRequestSchema,
  listTaskGroupsQuerySchema,
  taskGroupListSchema,
  taskGroupSchema,
} from "./task-group.ts";

export const taskGroupComponents: Components = {
  TaskGroup: component(taskGroupSchema, "Workers with one budget and one stop."),
  TaskGroupList: component(taskGroupListSchema, "A page of task groups, newest first."),
  CreateTaskGroupRequest: component(createTaskGroupRequestSchema, "A task group to make."),
};

const MAX_BODY_BYTES = 64 * 1024;

export const taskGroupRoutes = nounRoutes("taskGroups", "Workers", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/task-groups", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: taskGroupListSchema,
    summary: "List a workspace's task groups, newest first",
    scopes: ["workspaces:read"],
    query: query(listTaskGroupsQuerySchema),
    answers: { 200: "A page of task groups." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/task-groups", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: taskGroupSchema,
    summary: "Make a task group: workers with one budget and one stop",
    description: "Starts no run. With an idempotency key it is safe to repeat for 24 hours.",
    scopes: ["workspaces:write"],
    body: jsonBody(createTaskGroupRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The task group." },
    refusals: [409],
  }),
  get: defineRoute("GET /v1/task-groups/{taskGroupID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: taskGroupSchema,
    summary: "Read a task group, with how its workers are",
    scopes: ["workspaces:read"],
    answers: { 200: "The task group." },
  }),
  costs: defineRoute("GET /v1/task-groups/{taskGroupID}/costs", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: costsSchema,
    summary: "What the runs of a task group cost",
    scopes: ["workspaces:read"],
    query: query(costsQuerySchema),
    answers: { 200: "The sums." },
  }),
  stop: defineRoute("POST /v1/task-groups/{taskGroupID}/stop", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: taskGroupSchema,
    summary: "Stop a task group",
    description:
      "Cancels its workers' runs, and what they delegated; it takes no workers any more. What the workers have changed is saved. Safe to repeat.",
    scopes: ["workspaces:write", "runs:write"],
    answers: { 202: "The task group: its runs are ending." },
  }),
});
