// GitHub as reviews need it: by the job's token, in the words of the Action.

import * as z from "zod/mini";
import type { Environment } from "../../base/environment.ts";
import type { ReviewsHost, ReviewsReader, ReviewWords } from "../../job/findings/reviews-host.ts";
import { filesUrl } from "../../render/blob-url.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { jobPage, repositoryPage } from "../api/pages.ts";
import { canOnlyRead } from "../api/read-only.ts";
import { readRepositoryFile } from "../api/repository-file.ts";
import { type Annotator, annotate, harmless } from "./annotations.ts";
import { compareCommits } from "./compare.ts";
import { readPublished } from "./published.ts";
import { readHiddenReviews, readThreads, resolveThread, Writers } from "./review-threads.ts";

export type GitHubReviewsOptions = {
  readonly api: GitHubApi;
  readonly env: Environment;
  /** Null: no check run. */
  readonly checkRun: { readonly name: string; readonly headSha: string } | null;
  readonly annotator: Annotator;
  readonly onNote: (note: string) => void;
};

/** Sends nothing until the first call. */
export function githubReviewsReader(api: GitHubApi): ReviewsReader {
  const writers = new Writers(api);
  return {
    words,
    readPublished: (place) => readPublished(api, place),
    readThreads: (number) => readThreads(api, number),
    readHiddenReviews: (number) => readHiddenReviews(api, number),
    hasWriteAccess: (account) => writers.has(account),
    readFile: (place) => readRepositoryFile(api, place),
    compare: (since, headSha) => compareCommits(api, { since, headSha }),
  };
}

/** Sends nothing until the first call. */
export function githubReviews(options: GitHubReviewsOptions): ReviewsHost {
  const { api, env, checkRun, annotator, onNote } = options;
  const repositoryUrl = repositoryPage(env, api.repository);
  return {
    ...githubReviewsReader(api),
    resolveThread: (_number, threadId) => resolveThread(api, threadId),
    reply: async ({ number, finding, body }) => {
      const path = `/pulls/${number}/comments/${finding.commentId}/replies`;
      await api.write({ method: "POST", path, body: { body }, isRepeatable: false }, z.unknown());
    },
    publish: async (review) => {
      const { reviewPullRequest } = await import("./pull-review.ts");
      return await reviewPullRequest({
        ...review,
        api,
        filesUrl: filesUrl({ repositoryUrl }, review.headSha),
      });
    },
    writeReview: async ({ number, headSha }, text) => {
      const write = { method: "POST", path: `/pulls/${number}/reviews`, isRepeatable: false } as const;
      const body = { commit_id: headSha, event: "COMMENT", body: text };
      return (await api.write({ ...write, body }, z.object({ html_url: z.string() }))).html_url;
    },
    editReview: async (number, { id, body }) => {
      const path = `/pulls/${number}/reviews/${id}`;
      await api.write({ method: "PUT", path, body: { body }, isRepeatable: true }, z.unknown());
    },
    writeCheck:
      checkRun === null
        ? null
        : async (check) => {
            const { writeCheckRun } = await import("./check-run.ts");
            return await writeCheckRun({ ...check, ...checkRun, api, jobUrl: jobPage(env, api.repository) });
          },
    canOnlyRead: (subject) => canOnlyRead(subject, env),
    annotate: (findings) => annotate(findings, annotator),
    warn: (text) => annotator.warning(harmless(text)),
    note: onNote,
  };
}

const words: ReviewWords = {
  host: "GitHub",
  pullRequest: "pull request",
  check: "check run",
  named: (number) => `#${number}`,
  pathSettings: '"paths" and "ignore-paths"',
  instead: "annotations",
  noReview: "The job of a fork's pull request can write no review: its findings are annotations.",
  noCheck: "The job of a fork's pull request can write no check run.",
  mayReview: 'Give the job "permissions: pull-requests: write".',
  mayCheck: 'Give the job "permissions: checks: write".',
  mayResolve: 'Resolving takes "permissions: contents: write".',
};
