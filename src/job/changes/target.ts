// The branch that a run works on, and the branches of its pull requests. Pure.

import { createHash } from "node:crypto";
import type { CiJob } from "../../ci/provider.ts";
import type { ChangesHost, ChangesSubject } from "./changes-host.ts";
import { Kept } from "./kept.ts";

/** `sha` is a commit of the branch. */
export type Target = { readonly branch: string; readonly sha: string };

type TargetOptions = {
  readonly subject: ChangesSubject | null;
  readonly host: Pick<ChangesHost, "branch" | "jobName" | "words">;
  readonly job: CiJob;
};

/** Null where the job is on no branch, for example on a tag. Throws Kept for the branch of a fork. */
export function targetOf({ subject, host, job }: TargetOptions): Target | null {
  if (subject?.refs?.isFork === true) {
    throw new Kept(
      "fork_head",
      `The changes were not pushed: ${host.words.named(subject.number)} comes from a fork, which this job's token ` +
        "cannot write. Its author can apply the patch, or bring the branch into this repository.",
    );
  }
  if (subject !== null && subject.refs !== null)
    return { branch: subject.refs.headRef, sha: subject.refs.headSha };
  return host.branch === null ? null : { branch: host.branch, sha: job.sha };
}

const MAX_SLUG_CHARS = 40;

/**
 * The name of the session's branch; `count` is 2 after its first pull request was closed, and so on. The hash covers the
 * whole session id, because ids begin with a time stamp that many sessions share.
 */
export function branchName(
  { subject, host }: Pick<TargetOptions, "subject" | "host">,
  { prefix, sessionId, count }: { prefix: string; sessionId: string; count: number },
): string {
  const mark = createHash("sha256").update(sessionId).digest("hex").slice(0, 8);
  return `${prefix}${slugOf(subject, host)}-${mark}${count === 1 ? "" : `-${count}`}`;
}

function nounOf({ isPullRequest, discussionId }: ChangesSubject): string {
  if (isPullRequest) return "pull";
  return discussionId === undefined ? "issue" : "discussion";
}

function slugOf(subject: ChangesSubject | null, { jobName }: Pick<ChangesHost, "jobName">): string {
  if (subject !== null) return `${nounOf(subject)}-${subject.number}`;
  const name = jobName.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return name.slice(0, MAX_SLUG_CHARS).replace(/^-+|-+$/g, "") || "run";
}
