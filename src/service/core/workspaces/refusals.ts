// Why a request to a workspace is refused, whichever part of it is meant, and what its caller is told. Pure.

import { forbidden, invalidRequest, notFound, type ProblemsOf } from "../ports/problem.ts";
import type { ManagerInUseRefusal } from "./managed-workspaces.ts";
import type { CursorRefusal } from "./page.ts";

export type WorkspaceRefusal =
  | { readonly reason: "workspace_not_found"; readonly workspaceId: string }
  | { readonly reason: "workspace_of_another"; readonly workspaceId: string };

/** The account has as many workspaces as its plan allows. */
export type WorkspaceCapRefusal = {
  readonly reason: "workspace_cap_reached";
  readonly workspaces: number;
  readonly allowed: number;
};

/** The operator serves no files of workspaces. */
export type FilesClosedRefusal = { readonly reason: "workspaces_not_admitted"; readonly what: "files" };

/** What changes a workspace, or makes new work for it. */
export type WorkRefusal =
  | FilesClosedRefusal
  | { readonly reason: "workspaces_not_admitted"; readonly what: "workspaces" }
  | { readonly reason: "workspace_erasing"; readonly workspaceId: string }
  | { readonly reason: "storage_adopting"; readonly workspaceId: string };

/** A run writes in the copy: nobody else does. */
export type CopyHeldRefusal = {
  readonly reason: "copy_held";
  readonly copyId: string;
  readonly runId: string;
};

/** A run works in the workspace, or is going to. */
export type WorkspaceHeldRefusal = {
  readonly reason: "workspace_held";
  readonly workspaceId: string;
  readonly runId: string;
};

/** Only the owner in person does this: `url` is where. */
export type OwnerNeededRefusal = {
  readonly reason: "owner_needed";
  readonly what: string;
  readonly url: string;
  /** Where the owner approves this very request. Absent where nothing waits for that. */
  readonly approveUrl?: string;
};

export type ManagerRefusal =
  /** Null was named: every workspace has a manager. */
  { readonly reason: "manager_missing" };

/** The agent is a member of no workspace. */
export type NoWorkspaceRefusal = { readonly reason: "agent_without_workspace"; readonly agentId: string };

/** Something is not done with a copy. */
export type CopyRefusal =
  | { readonly reason: "copy_not_found"; readonly copyId: string }
  /** The canonical copy goes with its workspace alone. */
  | { readonly reason: "copy_canonical"; readonly workspaceId: string };

/** A run of a workspace is not taken. */
export type WorkspaceRunRefusal =
  /** Runs do not write the accepted files. */
  | { readonly reason: "run_in_canonical"; readonly copyId: string }
  /** A task group was named, and no copy. */
  | { readonly reason: "worker_without_copy" }
  | { readonly reason: "session_of_no_workspace"; readonly sessionId: string; readonly workspaceId: string };

const settings = { workspaces: "WORKSPACES or WORKSPACE_ACCOUNTS", files: "WORKSPACE_FILES" } as const;

export const workspaceProblems: ProblemsOf<
  | WorkspaceRefusal
  | WorkRefusal
  | WorkspaceCapRefusal
  | CopyHeldRefusal
  | ManagerRefusal
  | CursorRefusal
  | CopyRefusal
  | WorkspaceHeldRefusal
  | ManagerInUseRefusal
  | NoWorkspaceRefusal
  | WorkspaceRunRefusal
> = {
  copy_not_found: ({ copyId }) => notFound(`The workspace has no copy ${copyId}.`),
  copy_canonical: ({ workspaceId }) =>
    invalidRequest(
      `This is the canonical copy of workspace ${workspaceId}: it is deleted with its workspace, and not by itself.`,
    ),
  workspace_held: ({ workspaceId, runId }) => ({
    status: 409,
    code: "workspace_held",
    message: `Run ${runId} is at work in workspace ${workspaceId}, or is going to be. Wait until it has ended, or cancel it.`,
    fields: { run_id: runId },
  }),
  agent_without_workspace: ({ agentId }) => notFound(`Agent ${agentId} is a member of no workspace.`),
  manager_in_use: ({ agentId, workspaceIds }) => ({
    status: 409,
    code: "workspace_manager_in_use",
    message: `Agent ${agentId} manages ${workspaceIds.length === 1 ? `workspace ${workspaceIds[0]}` : `${workspaceIds.length} workspaces`}. Choose another manager first: PATCH /v1/workspaces/{workspaceID}, "manager_agent_id".`,
    fields: { workspace_ids: workspaceIds },
  }),
  workspace_not_found: ({ workspaceId }) => notFound(`There is no workspace ${workspaceId}.`),
  workspace_of_another: ({ workspaceId }) =>
    forbidden(`Workspace ${workspaceId} belongs to another account.`),
  workspaces_not_admitted: ({ what }) => ({
    status: 403,
    code: "workspaces_not_admitted",
    message:
      what === "files"
        ? `The operator of this service serves no files of workspaces: ${settings.files} says so.`
        : `The operator of this service takes no new work in workspaces from this account: ${settings.workspaces} says so.`,
  }),
  workspace_cap_reached: ({ workspaces, allowed }) => ({
    status: 429,
    code: "workspace_cap_reached",
    message: `The account has ${workspaces} workspaces, its plan allows ${allowed}. Delete one, or use one that is there.`,
    retryAfterSeconds: 60,
  }),
  workspace_erasing: ({ workspaceId }) => ({
    status: 409,
    code: "workspace_erasing",
    message: `Workspace ${workspaceId} is being deleted.`,
  }),
  storage_adopting: ({ workspaceId }) => ({
    status: 409,
    code: "storage_adopting",
    message: `Workspace ${workspaceId} is being filled with the files of an agent's repository. Wait for the adoption, or cancel it.`,
  }),
  copy_held: ({ copyId, runId }) => ({
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
  cursor_malformed: ({ cursor }) =>
    invalidRequest(
      `"cursor" must be the "next_cursor" of a page of this list, got "${cursor.slice(0, 100)}".`,
    ),
  run_in_canonical: ({ copyId }) =>
    invalidRequest(
      `Copy ${copyId} is the canonical one, in which no run works. Make a copy, or leave "working_copy_id" out.`,
    ),
  worker_without_copy: () =>
    invalidRequest('A worker needs a copy: name "working_copy_id" beside "task_group_id".'),
  session_of_no_workspace: ({ sessionId, workspaceId }) =>
    notFound(
      `Workspace ${workspaceId} has no session ${sessionId}. Leave "session_id" out to begin one, or POST /v1/workspaces/${workspaceId}/threads.`,
    ),
};
