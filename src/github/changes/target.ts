// The branch that a run works on, and the branches of its pull requests. Pure.

import { createHash } from "node:crypto";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { Kept } from "./kept.ts";

/** `sha` is a commit of the branch. */
export type Target = { readonly branch: string; readonly sha: string };

type TargetOptions = {
  readonly subject: RequestSubject | null;
  readonly env: Environment;
  readonly job: CiJob;
};

/** Null where the job is on no branch, for example on a tag. Throws Kept for the branch of a fork. */
export function targetOf({ subject, env, job }: TargetOptions): Target | null {
  if (subject?.refs?.isFork === true) {
    throw new Kept(
      "fork_head",
      `The changes were not pushed: pull request #${subject.number} comes from a fork, which this job's token ` +
        "cannot write. Its author can apply the patch, or bring the branch into this repository.",
    );
  }
  if (subject !== null && subject.refs !== null)
    return { branch: subject.refs.headRef, sha: subject.refs.headSha };
  const [, branch] = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? "") ?? [];
  return branch === undefined ? null : { branch, sha: job.sha };
}

const MAX_SLUG_CHARS = 40;

/**
 * The name of the session's branch; `count` is 2 after its first pull request was closed, and so on. The hash covers the
 * whole session id, because ids begin with a time stamp that many sessions share.
 */
export function branchName(
  { subject, env }: Pick<TargetOptions, "subject" | "env">,
  { prefix, sessionId, count }: { prefix: string; sessionId: string; count: number },
): string {
  const mark = createHash("sha256").update(sessionId).digest("hex").slice(0, 8);
  return `${prefix}${slugOf(subject, env)}-${mark}${count === 1 ? "" : `-${count}`}`;
}

function nounOf({ isPullRequest, discussionId }: RequestSubject): string {
  if (isPullRequest) return "pull";
  return discussionId === undefined ? "issue" : "discussion";
}

function slugOf(subject: RequestSubject | null, env: Environment): string {
  if (subject !== null) return `${nounOf(subject)}-${subject.number}`;
  const name = (env.GITHUB_WORKFLOW ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return name.slice(0, MAX_SLUG_CHARS).replace(/^-+|-+$/g, "") || "run";
}
