// Bitbucket's parts of what a step writes, by one token. Why: docs/decisions/188-bitbucket-writes-back.md

import type { CodeHostError } from "../job/code-host/code-host-error.ts";
import { JobHost, type JobHostOptions, type JobPull } from "../job/code-host/job-host.ts";
import type { TokenAccount } from "./account.ts";
import type { BitbucketApi } from "./bitbucket-api.ts";
import { BitbucketError } from "./bitbucket-error.ts";
import { bitbucketChanges } from "./changes/bitbucket-changes.ts";
import { commentPlace } from "./comment-place.ts";
import { commentUrls } from "./comment-url.ts";
import { PullComments } from "./comments.ts";
import type { BitbucketPull, Repository } from "./repository.ts";
import {
  type BitbucketReviewsOptions,
  bitbucketReviews,
  bitbucketReviewsReader,
} from "./reviews/bitbucket-reviews.ts";
import { writeBuildStatus } from "./reviews/build-status.ts";
import { readTopicDiff } from "./reviews/pull-diff.ts";
import { BAD_TOKEN, scopeAdvice } from "./token-advice.ts";

/** Bitbucket refuses a comment of more than 32,768 characters, as other tools found: theirs end at 31,000. */
const MAX_COMMENT_BYTES = 31_000;

export type BitbucketHostOptions = Pick<
  JobHostOptions,
  "job" | "env" | "clock" | "signal" | "warn" | "note"
> & {
  readonly openApi: (signal: AbortSignal) => BitbucketApi;
  readonly token: string;
  /** Without a trailing slash: "https://bitbucket.org". */
  readonly serverUrl: string;
  readonly repository: Repository;
  readonly account: TokenAccount;
  /** Of the pipeline; null for one that is of none. */
  readonly pull: BitbucketPull | null;
  readonly jobUrl: string;
  readonly jobName: string;
};

/** Sends nothing until the first call. */
export function bitbucketHost(options: BitbucketHostOptions): JobHost {
  const { openApi, token, serverUrl, repository, account, pull, jobName, ...common } = options;
  const { job, env, signal, warn, note, jobUrl } = common;
  const api = openApi(signal);
  const url = pull?.links.html.href ?? "";
  const reading = { api, account, url };
  const links = { repositoryUrl: `${serverUrl}/${repository.full_name}`, files: "src" } as const;
  return new JobHost({
    ...common,
    pull: pull === null ? null : pullOf(pull, job.sha),
    headSha: job.sha,
    place: [jobName, job.step],
    links,
    maxCommentBytes: MAX_COMMENT_BYTES,
    openComments: (number, aborting) =>
      commentPlace(new PullComments(openApi(aborting), { account, number }), commentUrls(url)),
    explain,
    openReader: () => bitbucketReviewsReader(reading),
    openReviews: (name) => {
      const status = { api, sha: job.sha, refname: pull?.source.branch.name ?? "", jobUrl };
      const writeCheck: BitbucketReviewsOptions["writeCheck"] =
        name === null || pull === null ? null : (check) => writeBuildStatus({ ...check, ...status, name });
      return bitbucketReviews({ ...reading, links, writeCheck, warn, note });
    },
    openChanges: (subject) =>
      bitbucketChanges({ api, token, serverUrl, repository, account, env, jobUrl, jobName, subject }),
    readDiff: async () => {
      const base = pull?.destination.commit?.hash;
      return base === undefined ? "" : ((await readTopicDiff(api, { head: job.sha, base })) ?? "");
    },
  });
}

function pullOf({ id: number, title, author, source, destination }: BitbucketPull, sha: string): JobPull {
  return {
    number,
    title,
    author: author == null ? null : { id: author.uuid },
    headRef: source.branch.name,
    baseSha: destination.commit?.hash ?? sha,
  };
}

function explain(cause: CodeHostError, number: number): string {
  const { code, status, message } = cause;
  const name = `pull request #${number}`;
  if (code === "code_host_unavailable") return `The comment on ${name} could not be written. ${message}`;
  const isTooSmall =
    cause instanceof BitbucketError && (cause.scopeLack !== null || status === 403 || status === 404);
  const fix =
    status === 401
      ? BAD_TOKEN
      : isTooSmall
        ? scopeAdvice("pullrequest")
        : "Leave --comment out to go without.";
  return `Nothing is written on ${name}. ${message} ${fix}`;
}
