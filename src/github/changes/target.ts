// The branch that a run was about, and the branches that its pull requests come from. Pure.

import { createHash } from "node:crypto";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { Talk } from "../trigger/agent-request.ts";
import { Kept } from "./kept.ts";

/** `sha` is a commit that is known to be of the branch. */
export type Target = { readonly branch: string; readonly sha: string };

export type Place = { readonly talk: Talk | null; readonly env: Environment; readonly job: CiJob };

/** Null where the job is on no branch: on a tag, for one. Throws Kept for the branch of a fork. */
export function targetOf({ talk, env, job }: Place): Target | null {
  if (talk?.ends?.isFork === true) {
    throw new Kept(
      "fork_head",
      `The changes were not pushed: pull request #${talk.thread.number} comes from a fork, which this job's token ` +
        "cannot write. Its author can apply the patch, or bring the branch into this repository.",
    );
  }
  if (talk !== null && talk.ends !== null) return { branch: talk.ends.headRef, sha: talk.ends.headSha };
  const [, branch] = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? "") ?? [];
  return branch === undefined ? null : { branch, sha: job.sha };
}

const MAX_SLUG_CHARS = 40;

/**
 * What the session's branch is called; the first, the second … after the pull requests before it were closed. Made of
 * the whole session id: the beginning of one says when it was made, and many are made in one minute.
 */
export function branchName(
  { talk, env }: Pick<Place, "talk" | "env">,
  { prefix, sessionId, count }: { prefix: string; sessionId: string; count: number },
): string {
  const mark = createHash("sha256").update(sessionId).digest("hex").slice(0, 8);
  return `${prefix}${slugOf(talk, env)}-${mark}${count === 1 ? "" : `-${count}`}`;
}

function slugOf(talk: Talk | null, env: Environment): string {
  if (talk !== null) return `${talk.thread.isPullRequest ? "pull" : "issue"}-${talk.thread.number}`;
  const name = (env.GITHUB_WORKFLOW ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return name.slice(0, MAX_SLUG_CHARS).replace(/^-+|-+$/g, "") || "run";
}
