// What a caller is told of a workspace. Pure.

import type { CursorRefusal } from "../../../core/workspaces/page.ts";
import type {
  CopyHeldRefusal,
  ManagerRefusal,
  WorkRefusal,
  WorkspaceCapRefusal,
  WorkspaceRefusal,
} from "../../../core/workspaces/refusals.ts";
import { forbidden, invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

const settings = { workspaces: "WORKSPACES or WORKSPACE_ACCOUNTS", files: "WORKSPACE_FILES" } as const;

export const workspaceProblems: ProblemsOf<
  WorkspaceRefusal | WorkspaceCapRefusal | WorkRefusal | CopyHeldRefusal | ManagerRefusal | CursorRefusal
> = {
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
};
