// Bitbucket as reviews need it: by the token of the pipeline, in the words of the command.

import * as z from "zod/mini";
import { type NoteThreads, publishedIn, threadsIn } from "../../job/findings/note-threads.ts";
import type {
  NewCheck,
  RepositoryFile,
  RepositoryFilePlace,
  ReviewsHost,
  ReviewsReader,
  ReviewWords,
} from "../../job/findings/reviews-host.ts";
import { type FileLinks, filesUrl } from "../../render/blob-url.ts";
import type { Finding, WrittenCheck } from "../../report/findings.ts";
import type { TokenAccount } from "../account.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";
import { commentUrls } from "../comment-url.ts";
import { PullComments } from "../comments.ts";
import { scopeAdvice } from "../token-advice.ts";
import { threadsOf } from "./comment-threads.ts";
import { postReview } from "./post-review.ts";
import { compareCommits } from "./pull-diff.ts";

/** Of fifty people each. */
const MAX_REVIEWER_PAGES = 10;

type Reading = {
  readonly api: BitbucketApi;
  readonly account: TokenAccount;
  /** The page of the pull request. */
  readonly url: string;
};

export type BitbucketReviewsOptions = Reading & {
  readonly links: Pick<FileLinks, "repositoryUrl" | "files">;
  readonly writeCheck: ((check: NewCheck) => Promise<WrittenCheck>) | null;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
};

/** Sends nothing until the first call. */
export function bitbucketReviewsReader({ api, account, url }: Reading): ReviewsReader {
  const urlOf = commentUrls(url);
  let reviewers: Promise<ReadonlySet<string>> | null = null;
  let listed: Promise<NoteThreads> | null = null;
  const list = async (number: number, isFresh: boolean): Promise<NoteThreads> => {
    if (isFresh || listed === null) listed = readThreads(new PullComments(api, { account, number }));
    return await listed;
  };
  return {
    words,
    readPublished: async ({ number, runId }) => publishedIn(await list(number, true), { urlOf, runId }),
    readThreads: async (number) => threadsIn(await list(number, false), urlOf),
    // A comment that is not in the diff cannot be resolved.
    readHiddenReviews: async () => new Set(),
    hasWriteAccess: async ({ databaseId: id }) => {
      if (typeof id !== "string") return false;
      reviewers ??= readDefaultReviewers(api);
      return (await reviewers).has(id);
    },
    readFile: (place) => readFile(api, place),
    compare: (since, headSha) => compareCommits(api, { head: headSha, base: since }),
  };
}

/** Sends nothing until the first call. */
export function bitbucketReviews(options: BitbucketReviewsOptions): ReviewsHost {
  const { api, account, url, links, writeCheck, warn, note } = options;
  const urlOf = commentUrls(url);
  const of = (number: number) => new PullComments(api, { account, number });
  return {
    ...bitbucketReviewsReader(options),
    resolveThread: async (number, threadId) => await of(number).resolve(Number(threadId)),
    reply: async ({ number, thread, body }) => {
      await of(number).create(body, { parent: { id: Number(thread?.id ?? "") } });
    },
    publish: (review) =>
      postReview({
        ...review,
        api,
        comments: of(review.number),
        urlOf,
        filesUrl: filesUrl(links, review.headSha),
      }),
    writeReview: async ({ number }, body) => urlOf({ id: await of(number).create(body) }),
    editReview: async (number, { id, body }) => await of(number).edit(id, body),
    writeCheck,
    // Nothing is opened for the pull request of a fork.
    canOnlyRead: () => false,
    annotate: (findings) => tellLeft(findings, note),
    warn,
    note,
  };
}

async function readThreads(comments: PullComments): Promise<NoteThreads> {
  return threadsOf(await comments.list(), comments);
}

/** Steps have no annotations at lines without a report of their own. */
function tellLeft(findings: readonly Finding[], note: (text: string) => void): number {
  if (findings.length > 0) note(`Findings that are in the summary and the reply alone: ${findings.length}.`);
  return 0;
}

const reviewerSchema = z.object({ user: z.object({ uuid: z.string() }) });

/**
 * The people whose word on a finding counts: default reviewers of the repository or its project, whom its admins have chosen. Who may write is told
 * to admins alone. https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests (2026-11-29)
 */
async function readDefaultReviewers(api: BitbucketApi): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const path = "/effective-default-reviewers?";
  for await (const { user } of api.items(path, reviewerSchema, MAX_REVIEWER_PAGES)) found.add(user.uuid);
  return found;
}

const entrySchema = z.object({
  type: z.string(),
  size: z.optional(z.int()),
  attributes: z.optional(z.array(z.string())),
});
const NO_FILES = ["link", "subrepository", "lfs"];

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-source (2026-11-29) */
async function readFile(
  api: BitbucketApi,
  { path, ref, maxBytes }: RepositoryFilePlace,
): Promise<RepositoryFile> {
  const at = `/src/${encodeURIComponent(ref)}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const entry = await api.read(`${at}?format=meta`, entrySchema);
  if (entry === null) return { type: "missing" };
  const isFile = entry.type === "commit_file" && !entry.attributes?.some((one) => NO_FILES.includes(one));
  if (!isFile) return { type: "not_a_file" };
  if ((entry.size ?? 0) > maxBytes) return { type: "too_large" };
  const text = await api.readText(at, maxBytes);
  return text === null ? { type: "missing" } : { type: "file", text };
}

const words: ReviewWords = {
  host: "Bitbucket",
  pullRequest: "pull request",
  check: "build status",
  named: (number) => `pull request #${number}`,
  pathSettings: "--paths and --ignore-paths",
  instead: "in the summary and the reply",
  noReview: "The step of a fork's pull request can write no review.",
  noCheck: "The step of a fork's pull request can write no build status.",
  mayReview: scopeAdvice("pullrequest"),
  mayCheck: scopeAdvice("repository"),
  mayResolve: scopeAdvice("pullrequest"),
};
