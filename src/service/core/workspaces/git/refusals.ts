// Refusals of a fetch or a push by git, and their problems: what its client prints behind "remote:". Pure.

import { conflict, invalidRequest, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

const sizes = {
  objects: (allowed: number) => `${allowed.toLocaleString("en-US")} objects`,
  bytes: (allowed: number) => `${Math.floor(allowed / 1_000_000).toLocaleString("en-US")} MB`,
} as const;

export const gitProblems = {
  served_too_large: ({ what, allowed }: { what: keyof typeof sizes; allowed: number }) => ({
    status: 413,
    code: "body_too_large",
    message: `The workspace with its history is more than the ${sizes[what](allowed)} that this service serves by git. Download a revision as a bundle.`,
  }),
  push_to_main: ({ workspaceId }: { workspaceId: string }) =>
    invalidRequest(
      `main is what was accepted, and nobody pushes to it: push to a copy's branch, then agent-service workspaces changesets create ${workspaceId} "<title>" --copy <copy>`,
    ),
  push_to_other_ref: ({ workspaceId }: { workspaceId: string }) =>
    invalidRequest(
      `only branches copies/<copy> are pushed to, make a copy by: agent-service workspaces copies create ${workspaceId}`,
    ),
  push_deletes: ({ workspaceId, copyId }: { workspaceId: string; copyId: string }) =>
    invalidRequest(
      `a push deletes no copy, do it by: agent-service workspaces copies delete ${workspaceId} ${copyId}`,
    ),
  push_stale: ({ copyId }: { copyId: string }) =>
    conflict("current_revision_conflict", `fetch first: copy ${copyId} was saved or pushed to since`),
  push_not_forward: ({ copyId }: { copyId: string }) =>
    conflict(
      "current_revision_conflict",
      `non-fast-forward: the commit does not build on what copy ${copyId} has saved, rebase or merge it`,
    ),
  push_unsaved: ({ workspaceId, copyId }: { workspaceId: string; copyId: string }) =>
    conflict(
      "copy_unsaved",
      `copy ${copyId} has changes that are not saved, save and fetch them first: agent-service workspaces checkpoint ${workspaceId} --copy ${copyId}`,
    ),
  push_repeats_ref: () => invalidRequest("a push names each branch once"),
  push_not_atomic: () =>
    conflict("current_revision_conflict", "atomic push failed: another branch of it is refused"),
  push_refused: ({ detail: message }: { detail: string }) => ({ status: 422, code: "pack_refused", message }),
} satisfies ProblemTable;

export type PushRefusal = RefusalOf<
  typeof gitProblems,
  | "push_to_main"
  | "push_to_other_ref"
  | "push_deletes"
  | "push_stale"
  | "push_not_forward"
  | "push_unsaved"
  | "push_repeats_ref"
  | "push_not_atomic"
  | "push_refused"
>;
