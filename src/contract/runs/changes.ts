// The changes that a run made to files, and the event that tells of them. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";

export const CHANGES_EVENT = "repository.changes";

const fileChangeStatuses = ["added", "modified", "deleted", "renamed"] as const;

export const fileChangeSchema = object({
  path: field(z.string(), "Its path in the repository."),
  status: field(z.enum(fileChangeStatuses), "How it was changed."),
  additions: field(z.int(), "Lines added."),
  deletions: field(z.int(), "Lines removed."),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** A file that the run changed and that was left out of the patch. */
export const heldBackFileSchema = object({
  path: field(z.string(), "Its path in the repository."),
  reason: field(z.enum(["protected", "too_large"]), "Why it was left out."),
});
export type HeldBackFile = z.infer<typeof heldBackFileSchema>;

/**
 * What the run changed in the repository: a git patch against `base_sha`, binary files included. `held_back` names what
 * the patch leaves out, and why. `unreadable` says why nobody can tell what was changed: there are no files then.
 */
export const changesEventSchema = object({
  type: field(z.literal("CUSTOM"), "What happened."),
  name: field(z.literal(CHANGES_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      base_sha: field(z.string(), "The commit that the changes are against."),
      files: field(z.array(fileChangeSchema), "The files that were changed."),
      patch: field(z.string(), "The changes as a git patch, binary files included."),
      held_back: field(z.optional(z.array(heldBackFileSchema)), "Files that the patch leaves out."),
      unreadable: field(z.optional(z.string()), "Why the changes cannot be read. There are no files then."),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

export type ChangesEvent = z.infer<typeof changesEventSchema>;
