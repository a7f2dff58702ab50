// Finds, opens and updates pull requests of the repository. https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests (2026-11-29)

import * as z from "zod/mini";
import type { NewPullRequest, PullRequest } from "../../job/changes/changes-host.ts";
import { Kept } from "../../job/changes/kept.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";
import { BitbucketError } from "../bitbucket-error.ts";
import { fromBitbucket, toBitbucket } from "../bitbucket-markdown.ts";
import { type BitbucketPull, pullRequestSchema, readWholeHash } from "../repository.ts";
import { scopeAdvice } from "../token-advice.ts";

const STATES = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"];
/** A commit that no repository has. */
const NO_COMMIT = "0".repeat(40);

const reviewedSchema = z.object({
  title: z.string(),
  reviewers: z.optional(z.array(z.object({ uuid: z.string() }))),
});

/** Those of one branch of this repository, newest first: a fork may have a branch of that name. Rejects with BitbucketError. */
export async function findPullRequests(
  api: BitbucketApi,
  { repositoryId, branch }: { readonly repositoryId: string; readonly branch: string },
): Promise<PullRequest[]> {
  const named = `source.branch.name=${JSON.stringify(branch)}`;
  const states = STATES.map((state) => `state=${state}`).join("&");
  const query = `q=${encodeURIComponent(named)}&sort=-created_on&${states}`;
  const found: PullRequest[] = [];
  for await (const one of api.items(`/pullrequests?${query}`, pullRequestSchema, 1)) {
    const { branch: source, repository } = one.source;
    if (source.name === branch && repository?.uuid === repositoryId) found.push(await pullOf(api, one));
  }
  return found;
}

/** Rejects with Kept where Bitbucket refuses, or with BitbucketError. */
export async function openPullRequest(
  api: BitbucketApi,
  { title, body, head, base }: NewPullRequest,
  repositoryId: string,
): Promise<PullRequest> {
  const fields = {
    title,
    description: toBitbucket(body),
    source: { branch: { name: head } },
    destination: { branch: { name: base } },
  };
  try {
    const write = { method: "POST", path: "/pullrequests", body: fields } as const;
    return await pullOf(api, await api.write(write, pullRequestSchema));
  } catch (cause) {
    if (!(cause instanceof BitbucketError)) throw cause;
    // It may exist all the same: the answer was lost, or another step was faster.
    const there = (await findPullRequests(api, { repositoryId, branch: head })).find(({ isOpen }) => isOpen);
    if (there !== undefined) return there;
    throw refusalOf(cause, head);
  }
}

/** Replaces the description; title and reviewers are sent as they are, since they would be cleared. Rejects with BitbucketError. */
export async function renewDescription(
  api: BitbucketApi,
  { number }: PullRequest,
  description: string,
): Promise<void> {
  const path = `/pullrequests/${number}`;
  const found = await api.read(path, reviewedSchema);
  const reviewers = found?.reviewers?.map(({ uuid }) => ({ uuid })) ?? [];
  const body = { title: found?.title, description: toBitbucket(description), reviewers };
  await api.write({ method: "PUT", path, body }, z.unknown());
}

async function pullOf(
  api: BitbucketApi,
  { id: number, state, description, source, links }: BitbucketPull,
): Promise<PullRequest> {
  const hash = source.commit?.hash;
  return {
    number,
    url: links.html.href,
    isOpen: state === "OPEN",
    isMerged: state === "MERGED",
    body: fromBitbucket(description ?? ""),
    headSha: (hash === undefined ? null : await readWholeHash(api, hash)) ?? NO_COMMIT,
  };
}

function refusalOf(cause: BitbucketError, head: string): Kept {
  const pushed = `The changes were pushed to ${head}, but no pull request was opened`;
  const because = (reason: Kept["reason"], advice: string) =>
    new Kept(reason, `${pushed}. ${cause.message} ${advice}`, { cause });
  if (cause.isDenied)
    return because("permission_missing", `${scopeAdvice("pullrequest:write")} Then re-run the step.`);
  if (cause.code === "code_host_unavailable") return because("code_host_unavailable", "Re-run the step.");
  return because("pull_request_refused", "Open it by hand.");
}
