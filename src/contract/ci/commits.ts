// GET and PUT /v1/ci/commits/{sha}: the commit that a job works on, sent by the job itself, so that the service needs no
// credential of the code host. Pure.
// Why: docs/decisions/044-commits-are-sent-by-the-job.md

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { parameterSchemas, wholeNumber } from "../fields.ts";
import { commitNameSchema, MAX_PULL_REQUEST_NUMBER } from "../runs/pull-request.ts";

/** What `git pack-objects --stdout` writes, thin or not. */
export const PACK_TYPE = "application/x-git-packed-objects";
/** The most that any service takes at once. Its operator's limit is lower: `max_bytes` of GET. */
export const MAX_PACK_BYTES = 16 * 1024 ** 3;
/** Commits whose objects a pack may build on. */
export const MAX_PACK_BASES = 16;

/** The pull request that the commit is of, its head or the tip of its base; 0 for the commit of the job's own token. */
const pullRequest = wholeNumber({ min: 0, max: MAX_PULL_REQUEST_NUMBER, fallback: 0 });

export const findCommitQuerySchema = strictObject({ pull_request: pullRequest });

export const sendCommitQuerySchema = strictObject({ pull_request: pullRequest, base: commitNames() });

/** A commit that the service holds, with its history down to `shallow`. */
export const heldCommitSchema = z.object({
  sha: z.string(),
  /** The oldest commits: the service does not hold all of their parents. Empty for a whole history. */
  shallow: z.array(z.string()),
});
export type HeldCommit = z.infer<typeof heldCommitSchema>;

export const commitStateSchema = z.object({
  sha: z.string(),
  /** The service holds the commit already: nothing is to be sent. */
  present: z.boolean(),
  /** What a thin pack may build on, newest first. Empty: send a whole pack. */
  have: z.array(heldCommitSchema),
  max_bytes: z.int(),
  /** Commits of history that a run needs at most, the commit itself included. */
  history: z.int(),
});
export type CommitState = z.infer<typeof commitStateSchema>;

export const sentCommitSchema = z.object({
  sha: z.string(),
  /** Objects that are stored now, those of which the pack had only a difference included. */
  objects: z.int(),
  /** Of the stored pack. */
  bytes: z.int(),
});
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
