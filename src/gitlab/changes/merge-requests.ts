// Finds, opens and updates merge requests of the project. https://docs.gitlab.com/api/merge_requests (2026-11-29)

import * as z from "zod/mini";
import type { NewPullRequest, PullRequest } from "../../job/changes/changes-host.ts";
import { Kept } from "../../job/changes/kept.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { GitLabError } from "../gitlab-error.ts";
import { roleAdvice } from "../token-advice.ts";

const mergeSchema = z.object({
  iid: z.int(),
  web_url: z.string(),
  /** opened, closed, merged, locked. */
  state: z.string(),
  description: z.optional(z.nullable(z.string())),
  source_branch: z.string(),
  source_project_id: z.nullable(z.int()),
  sha: z.nullable(z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/))),
});

/** Those of one branch of this project, newest first: a fork may have a branch of that name. Rejects with GitLabError. */
export async function findMergeRequests(
  api: GitLabApi,
  { projectId, branch }: { readonly projectId: number; readonly branch: string },
): Promise<PullRequest[]> {
  const query = `source_branch=${encodeURIComponent(branch)}&state=all&scope=all&order_by=created_at&sort=desc`;
  const found: PullRequest[] = [];
  for await (const one of api.items(`/merge_requests?${query}`, mergeSchema, 1)) {
    if (one.source_branch === branch && one.source_project_id === projectId) found.push(mergeRequestOf(one));
  }
  return found;
}

/** Rejects with Kept where GitLab refuses, or with GitLabError. */
export async function openMergeRequest(
  api: GitLabApi,
  { title, body, head, base }: NewPullRequest,
  projectId: number,
): Promise<PullRequest> {
  const fields = { source_branch: head, target_branch: base, title, description: body };
  try {
    return mergeRequestOf(
      await api.write({ method: "POST", path: "/merge_requests", body: fields }, mergeSchema),
    );
  } catch (cause) {
    if (!(cause instanceof GitLabError)) throw cause;
    // It may exist all the same (409): the answer was lost, or another job was faster.
    const there = (await findMergeRequests(api, { projectId, branch: head })).find(({ isOpen }) => isOpen);
    if (there !== undefined) return there;
    throw refusalOf(cause, head);
  }
}

/** Replaces the description; the title stays. Rejects with GitLabError. */
export async function renewDescription(
  api: GitLabApi,
  { number }: PullRequest,
  description: string,
): Promise<void> {
  await api.write({ method: "PUT", path: `/merge_requests/${number}`, body: { description } }, mergeSchema);
}

function mergeRequestOf({
  iid,
  web_url: url,
  state,
  description,
  sha,
}: z.infer<typeof mergeSchema>): PullRequest {
  return {
    number: iid,
    url,
    // "locked" is the moment in which it is merged.
    isOpen: state === "opened" || state === "locked",
    isMerged: state === "merged",
    body: description ?? "",
    headSha: sha ?? "",
  };
}

function refusalOf(cause: GitLabError, head: string): Kept {
  const pushed = `The changes were pushed to ${head}, but no merge request was opened`;
  if (cause.isDenied) {
    const advice = roleAdvice({ number: 0, isPullRequest: true });
    return new Kept("permission_missing", `${pushed}. ${cause.message} ${advice} Then re-run the job.`, {
      cause,
    });
  }
  if (cause.code === "code_host_unavailable")
    return new Kept("code_host_unavailable", `${pushed}. ${cause.message} Re-run the job.`, { cause });
  return new Kept("pull_request_refused", `${pushed}. ${cause.message} Open it by hand.`, { cause });
}
