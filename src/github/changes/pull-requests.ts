// Finds, opens and updates pull requests of the repository. https://docs.github.com/en/rest/pulls/pulls

import * as z from "zod/mini";
import type { NewPullRequest, PullRequest } from "../../job/changes/changes-host.ts";
import { Kept } from "../../job/changes/kept.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";

const pullSchema = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.enum(["open", "closed"]),
  merged_at: z.optional(z.nullable(z.string())),
  body: z.optional(z.nullable(z.string())),
  head: z.object({ ref: z.string(), sha: z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)) }),
});

/** The pull requests of one branch, newest first. Rejects with GitHubError. */
export async function findPullRequests(api: GitHubApi, branch: string): Promise<PullRequest[]> {
  const [owner = ""] = api.repository.split("/");
  const head = encodeURIComponent(`${owner}:${branch}`);
  const found: PullRequest[] = [];
  for await (const pull of api.items(
    `/pulls?state=all&sort=created&direction=desc&head=${head}`,
    pullSchema,
    1,
  )) {
    if (pull.head.ref === branch) found.push(pullRequestOf(pull));
  }
  return found;
}

/** Rejects with Kept where GitHub refuses, or with GitHubError. */
export async function openPullRequest(
  api: GitHubApi,
  { title, body, head, base }: NewPullRequest,
): Promise<PullRequest> {
  try {
    const made = await api.write(
      { method: "POST", path: "/pulls", body: { title, body, head, base }, isRepeatable: false },
      pullSchema,
    );
    return pullRequestOf(made);
  } catch (cause) {
    if (!(cause instanceof GitHubError)) throw cause;
    // It may exist all the same: the answer was lost, or another job was faster.
    const there = (await findPullRequests(api, head)).find(({ isOpen }) => isOpen);
    if (there !== undefined) return there;
    throw refusalOf(cause, head);
  }
}

/** Replaces the body; the title stays. */
export async function renewBody(api: GitHubApi, pull: PullRequest, body: string): Promise<void> {
  const path = `/pulls/${pull.number}`;
  await api.write({ method: "PATCH", path, body: { body }, isRepeatable: true }, pullSchema);
}

function pullRequestOf({
  number,
  html_url: url,
  state,
  merged_at: mergedAt,
  body,
  head,
}: z.output<typeof pullSchema>): PullRequest {
  const isMerged = mergedAt !== undefined && mergedAt !== null;
  return { number, url, isOpen: state === "open", isMerged, body: body ?? "", headSha: head.sha };
}

function refusalOf(cause: GitHubError, head: string): Kept {
  const pushed = `The changes were pushed to ${head}, but no pull request was opened`;
  if (/not permitted to create or approve pull requests/i.test(cause.detail)) {
    return new Kept(
      "permission_missing",
      `${pushed}: GitHub Actions may not open any here. Allow it under Settings → Actions → General → Workflow ` +
        'permissions, "Allow GitHub Actions to create and approve pull requests", then re-run the job.',
      { cause },
    );
  }
  if (cause.status === 403 || cause.status === 404) {
    const message = `${pushed}: this job may not. Give it "permissions: pull-requests: write", then re-run it.`;
    return new Kept("permission_missing", message, { cause });
  }
  if (cause.code === "code_host_unavailable") {
    return new Kept("code_host_unavailable", `${pushed}. ${cause.message} Re-run the job.`, { cause });
  }
  return new Kept("pull_request_refused", `${pushed}. ${cause.message} Open it by hand.`, { cause });
}
