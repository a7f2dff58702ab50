// Refusals of a request to a workspace, whichever part of it is meant, and their problems. Pure.

import {
  conflict,
  forbidden,
  invalidRequest,
  notFound,
  type ProblemTable,
  type RefusalOf,
} from "../ports/problem.ts";
import type { ManagerInUseRefusal } from "./managed-workspaces.ts";
import type { CursorRefusal } from "./page.ts";

const settings = { workspaces: "WORKSPACES or WORKSPACE_ACCOUNTS", files: "WORKSPACE_FILES" } as const;

export const workspaceProblems = {
  copy_not_found: ({ copyId }: { copyId: string }) => notFound(`The workspace has no copy ${copyId}.`),
  copy_canonical: ({ workspaceId }: { workspaceId: string }) =>
    invalidRequest(
      `This is the canonical copy of workspace ${workspaceId}: it is deleted with its workspace, and not by itself.`,
    ),
  workspace_held: ({ workspaceId, runId }: { workspaceId: string; runId: string }) => ({
    status: 409,
    code: "workspace_held",
    message: `Run ${runId} is at work in workspace ${workspaceId}, or is going to be. Wait until it has ended, or cancel it.`,
    fields: { run_id: runId },
  }),
  agent_without_workspace: ({ agentId }: { agentId: string }) =>
    notFound(`Agent ${agentId} is a member of no workspace.`),
  manager_in_use: ({ agentId, workspaceIds }: ManagerInUseRefusal) => ({
    status: 409,
    code: "workspace_manager_in_use",
    message: `Agent ${agentId} manages ${workspaceIds.length === 1 ? `workspace ${workspaceIds[0]}` : `${workspaceIds.length} workspaces`}. Choose another manager first: PATCH /v1/workspaces/{workspaceID}, "manager_agent_id".`,
    fields: { workspace_ids: workspaceIds },
  }),
  workspace_not_found: ({ workspaceId }: { workspaceId: string }) =>
    notFound(`There is no workspace ${workspaceId}.`),
  workspace_of_another: ({ workspaceId }: { workspaceId: string }) =>
    forbidden(`Workspace ${workspaceId} belongs to another account.`),
  workspaces_not_admitted: ({ what }: { what: "files" | "workspaces" }) => ({
    status: 403,
    code: "workspaces_not_admitted",
    message:
      what === "files"
        ? `The operator of this service serves no files of workspaces: ${settings.files} says so.`
        : `The operator of this service takes no new work in workspaces from this account: ${settings.workspaces} says so.`,
  }),
  workspace_cap_reached: ({ workspaces, allowed }: { workspaces: number; allowed: number }) => ({
    status: 429,
    code: "workspace_cap_reached",
    message: `The account has ${workspaces} workspaces, its plan allows ${allowed}. Delete one, or use one that is there.`,
    retryAfterSeconds: 60,
  }),
  workspace_erasing: ({ workspaceId }: { workspaceId: string }) =>
    conflict("workspace_erasing", `Workspace ${workspaceId} is being deleted.`),
  storage_adopting: ({ workspaceId }: { workspaceId: string }) =>
    conflict(
      "storage_adopting",
      `Workspace ${workspaceId} is being filled with the files of an agent's repository. Wait for the adoption, or cancel it.`,
    ),
  copy_held: ({ copyId, runId }: { copyId: string; runId: string }) => ({
    status: 409,
    code: "copy_held",
    message: `Run ${runId} is at work in copy ${copyId}. Wait until it has ended, or cancel it.`,
    fields: { run_id: runId },
  }),
  manager_missing: () => ({
    status: 400,
    code: "invalid_workspace_manager",
    message:
      'Every workspace has a manager: "default_manager_agent_id" and "manager_agent_id" must name an agent, got null. Leave the field out, or name one of the account\'s agents.',
  }),
  cursor_malformed: ({ cursor }: CursorRefusal) =>
    invalidRequest(
      `"cursor" must be the "next_cursor" of a page of this list, got "${cursor.slice(0, 100)}".`,
    ),
  run_in_canonical: ({ copyId }: { copyId: string }) =>
    invalidRequest(
      `Copy ${copyId} is the canonical one, in which no run works. Make a copy, or leave "working_copy_id" out.`,
    ),
  worker_without_copy: () =>
    invalidRequest('A worker needs a copy: name "working_copy_id" beside "task_group_id".'),
  session_of_no_workspace: ({ sessionId, workspaceId }: { sessionId: string; workspaceId: string }) =>
    notFound(
      `Workspace ${workspaceId} has no session ${sessionId}. Leave "session_id" out to begin one, or POST /v1/workspaces/${workspaceId}/threads.`,
    ),
} satisfies ProblemTable;

export type WorkspaceRefusal = RefusalOf<
  typeof workspaceProblems,
  "workspace_not_found" | "workspace_of_another"
>;

/** The account has as many workspaces as its plan allows. */
export type WorkspaceCapRefusal = RefusalOf<typeof workspaceProblems, "workspace_cap_reached">;

/** The operator serves no files of workspaces. */
export type FilesClosedRefusal = RefusalOf<typeof workspaceProblems, "workspaces_not_admitted"> & {
  readonly what: "files";
};

/** Refusals of requests that change a workspace, or make new work for it. */
export type WorkRefusal = RefusalOf<
  typeof workspaceProblems,
  "workspaces_not_admitted" | "workspace_erasing" | "storage_adopting"
>;

/** A run writes in the copy: nobody else does. */
export type CopyHeldRefusal = RefusalOf<typeof workspaceProblems, "copy_held">;

/** A run works in the workspace, or is going to. */
export type WorkspaceHeldRefusal = RefusalOf<typeof workspaceProblems, "workspace_held">;

export type ManagerRefusal = RefusalOf<typeof workspaceProblems, "manager_missing">;

/** The agent is a member of no workspace. */
export type NoWorkspaceRefusal = RefusalOf<typeof workspaceProblems, "agent_without_workspace">;

/** Something is not done with a copy. */
export type CopyRefusal = RefusalOf<typeof workspaceProblems, "copy_not_found" | "copy_canonical">;

/** A run of a workspace is not taken. */
export type WorkspaceRunRefusal = RefusalOf<
  typeof workspaceProblems,
  "run_in_canonical" | "worker_without_copy" | "session_of_no_workspace"
>;
