// Bitbucket as the delivery of changes needs it: by the token of the pipeline, in the words of the command.

import type { Environment } from "../../base/environment.ts";
import type { ChangesHost, ChangesSubject, ChangesWords } from "../../job/changes/changes-host.ts";
import type { TokenAccount } from "../account.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";
import type { Repository } from "../repository.ts";
import { BAD_TOKEN, scopeAdvice, TOKEN_VARIABLE } from "../token-advice.ts";
import { findPullRequests, openPullRequest, renewDescription } from "./pull-requests.ts";
import { withoutSmartCommits } from "./smart-commits.ts";

export type BitbucketChangesOptions = {
  readonly api: BitbucketApi;
  readonly token: string;
  /** Without a trailing slash: the token goes there alone. */
  readonly serverUrl: string;
  readonly repository: Repository;
  readonly account: TokenAccount;
  readonly env: Environment;
  readonly jobUrl: string;
  readonly jobName: string;
  readonly subject: ChangesSubject | null;
};

/** As Pipelines names what a step commits. https://support.atlassian.com/bitbucket-cloud/docs/push-back-to-your-repository (2026-11-29) */
const COMMITTER = { name: "bitbucket-pipelines", email: "commits-noreply@bitbucket.org" };

/** Sends nothing until the first call. */
export function bitbucketChanges(options: BitbucketChangesOptions): ChangesHost {
  const { api, token, serverUrl, repository, account, env, jobUrl, jobName, subject } = options;
  const { uuid: repositoryId, full_name: name } = repository;
  const page = `${serverUrl}/${name}`;
  return {
    words,
    git: {
      serverUrl,
      repository: name,
      user: "x-token-auth",
      token,
      // Not every CI provider can mask a value. Tokens are never printed.
      setSecret: () => {},
    },
    links: { repositoryUrl: page, files: "src" },
    jobUrl,
    branch: env.BITBUCKET_BRANCH || null,
    jobName,
    isRequested: subject !== null,
    // Bitbucket publishes no address of whoever has started a step.
    coAuthor: null,
    commitUrl: (sha) => `${page}/commits/${sha}`,
    pullRequestUrl: (number) => `${page}/pull-requests/${number}`,
    // Bitbucket tells the address of a token's account to nobody but who makes the token.
    committer: async () => ({ id: account.known?.uuid ?? "", ...COMMITTER }),
    findPullRequests: (branch) => findPullRequests(api, { repositoryId, branch }),
    openPullRequest: (wanted) => openPullRequest(api, wanted, repositoryId),
    renewBody: (pull, body) => renewDescription(api, pull, body),
    readDefaultBranch: async () => repository.mainbranch?.name ?? "main",
    inert: withoutSmartCommits,
    inertTitle: withoutSmartCommits,
    // Bitbucket signs no commits of others.
    signer: null,
  };
}

const words: ChangesWords = {
  host: "Bitbucket",
  pullRequest: "pull request",
  named: (number) => `pull request #${number}`,
  mark: "#",
  deliveredName: () => undefined,
  patchIsIn: "The file changes.patch in the output folder has all of them.",
  usePullRequest: "Use --changes pull-request",
  otherPrefix: "give --branch-prefix another value",
  letBypass: "allow the token to write there, under Branch restrictions",
  noToken: `the step has no token in ${TOKEN_VARIABLE}.`,
  badToken: `the token in ${TOKEN_VARIABLE}. ${BAD_TOKEN}`,
  mayPush: scopeAdvice("repository:write"),
  mayDeliver: scopeAdvice("pullrequest:write"),
  workflowRefused: "Apply the patch by hand.",
  retry: "Re-run the step.",
};
