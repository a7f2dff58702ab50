// GET and PUT /v1/ci/commits/{sha}: the commit that a job works on, sent by the job itself, so that the service needs no
// credential of the code host. Pure.
// Why: docs/decisions/044-commits-are-sent-by-the-job.md

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { parameterSchemas, wholeNumber } from "../fields.ts";
import { commitNameSchema, MAX_PULL_REQUEST_NUMBER } from "../runs/pull-request.ts";

/** The type of a pack as `git pack-objects --stdout` writes it, thin or not. */
export const PACK_TYPE = "application/x-git-packed-objects";
/** The most that any service takes at once. Its operator's limit is lower: `max_bytes` of GET. */
export const MAX_PACK_BYTES = 16 * 1024 ** 3;
/** Commits whose objects a pack may build on. */
export const MAX_PACK_BASES = 16;

/** The pull request that the commit is of, its head or the tip of its base; 0 for the commit of the job's own token. */
const pullRequest = wholeNumber({ min: 0, max: MAX_PULL_REQUEST_NUMBER, fallback: 0 });

export const findCommitQuerySchema = strictObject({
  pull_request: field(
    pullRequest,
    "The pull request whose head, or whose base's newest commit, `sha` is. Left out: `sha` is the commit of the job's token.",
  ),
});

export const sendCommitQuerySchema = strictObject({
  pull_request: field(
    pullRequest,
    "The pull request whose head, or whose base's newest commit, `sha` is. Left out: `sha` is the commit of the job's token.",
  ),
  base: field(commitNames(), "Commits of `have` that the pack builds on, separated by commas."),
});

/** A commit that the service holds, with its history down to `shallow`. */
export const heldCommitSchema = object({
  sha: field(z.string(), "A commit that is held with its history."),
  shallow: field(
    z.array(z.string()),
    "Where that history ends: the service does not hold all parents of these. Empty for all of it.",
  ),
});
/** A commit that the service holds, and where its history ends: an entry of `have` of a CommitState. */
export type HeldCommit = z.infer<typeof heldCommitSchema>;

export const commitStateSchema = object({
  sha: field(z.string(), "The commit."),
  present: field(z.boolean(), "True where it is held: then nothing is to be sent."),
  have: field(
    z.array(heldCommitSchema),
    "Commits that a thin pack may build on, newest first; none where a whole pack is wanted.",
  ),
  max_bytes: field(z.int(), "The most that a pack may have."),
  history: field(z.int(), "Commits that a run reads at most, the commit itself included."),
});
/** Whether the service holds a commit, and the commits that it holds already, for a smaller pack. */
export type CommitState = z.infer<typeof commitStateSchema>;

export const sentCommitSchema = object({
  sha: field(z.string(), "The commit."),
  objects: field(z.int(), "Objects of the stored pack."),
  bytes: field(z.int(), "Bytes of it, and of its index."),
});
/** The commit that a pack brought, with the objects and bytes of the stored pack. */
export type SentCommit = z.infer<typeof sentCommitSchema>;

/** Why a pack is refused: `reason` beside the code `pack_refused`. */
export const packFaults = [
  /** A commit of `base` is not held, any more: ask again what is. */
  "base_absent",
  /** No pack, cut off, a wrong checksum, or a thin pack whose bases are not in `base`. */
  "pack_malformed",
  /** An object that git's own check refuses, `.git` or `..` in a tree included. */
  "object_refused",
  /** The pack does not hold the commit that the URL names. */
  "commit_absent",
  /** A tree or a file of its history is neither in the pack nor held. */
  "object_absent",
  /** More objects, commits or files than the service takes, or a file that is too large. */
  "contents_too_large",
  "took_too_long",
] as const;
export type PackFault = (typeof packFaults)[number];

/** Commit names, separated by commas. */
function commitNames() {
  const allowed = `must be at most ${MAX_PACK_BASES} whole commit names, separated by commas`;
  const schema = z.pipe(
    z.pipe(
      z._default(z.string(), ""),
      z.transform((text: string) => (text === "" ? [] : text.split(","))),
    ),
    z.array(commitNameSchema).check(z.maxLength(MAX_PACK_BASES, allowed)),
  );
  parameterSchemas.add(schema, { type: "string" });
  return schema;
}
