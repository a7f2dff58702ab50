// GitHub as the delivery of changes needs it: by the job's token, in the words of the Action.

import * as z from "zod/mini";
import type { Environment } from "../../base/environment.ts";
import { serverUrl } from "../../ci/github-server.ts";
import type { CiJob } from "../../ci/provider.ts";
import type {
  ChangesHost,
  ChangesSubject,
  ChangesWords,
  CommitSigner,
} from "../../job/changes/changes-host.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { jobPage, repositoryPage } from "../api/pages.ts";
import { readViewer } from "../api/viewer.ts";
import { githubHost } from "../git/github-host.ts";
import { coAuthor, isByHand } from "./co-author.ts";
import { findPullRequests, openPullRequest, renewBody } from "./pull-requests.ts";
import { type Signing, signCommit } from "./signed-commit.ts";

export type GitHubChangesOptions = {
  readonly api: GitHubApi;
  readonly token: string;
  readonly job: CiJob;
  readonly env: Environment;
  readonly subject: ChangesSubject | null;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
};

/** Sends nothing until the first call. */
export function githubChanges(options: GitHubChangesOptions): ChangesHost {
  const { api, token, job, env, subject, setSecret } = options;
  const { name } = job.repository;
  const repositoryUrl = repositoryPage(env, name);
  const noreplyHost = `users.noreply.${new URL(serverUrl(env)).hostname}`;
  const [, branch = null] = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? "") ?? [];
  const asked = { jobUrl: jobPage(env, name), coAuthor: coAuthor({ subject, env, noreplyHost }) };
  return {
    words,
    git: githubHost({ env, token, setSecret }, name),
    links: { repositoryUrl },
    ...asked,
    branch,
    jobName: env.GITHUB_WORKFLOW ?? "",
    isRequested: subject !== null || isByHand(env),
    commitUrl: (sha) => `${repositoryUrl}/commit/${sha}`,
    pullRequestUrl: (number) => `${repositoryUrl}/pull/${number}`,
    committer: async () => {
      const { id, login } = await readViewer(api);
      return { id, name: login, email: `${id}+${login}@${noreplyHost}` };
    },
    findPullRequests: (head) => findPullRequests(api, head),
    openPullRequest: (wanted) => openPullRequest(api, wanted),
    renewBody: (pull, body) => renewBody(api, pull, body),
    readDefaultBranch: async () => {
      const found = await api.read("", z.object({ default_branch: z.string() }));
      if (found !== null) return found.default_branch;
      throw new GitHubError({ code: "code_host_refused", call: "GET repository", status: 404 });
    },
    inert: (text) => text,
    inertTitle: (title) => title,
    signer: commitSigner({ host: asked, api, repository: name }),
  };
}

/** GitHub makes commits on existing branches only. */
function commitSigner(signing: Omit<Signing, "context">): CommitSigner {
  const { api } = signing;
  return {
    commit: (context, change) => signCommit({ ...signing, context }, change),
    createBranch: async (branch, sha) => {
      const ref = { ref: `refs/heads/${branch}`, sha };
      await api.write(
        { method: "POST", path: "/git/refs", body: ref, isRepeatable: false },
        z.object({ ref: z.string() }),
      );
    },
    deleteBranch: async (branch) => {
      const path = `/git/refs/heads/${branch}`;
      await api.write({ method: "DELETE", path, isRepeatable: true }, z.unknown()).catch(() => {});
    },
  };
}

const words: ChangesWords = {
  host: "GitHub",
  pullRequest: "pull request",
  named: (number) => `pull request #${number}`,
  mark: "#",
  deliveredName: () => undefined,
  patchIsIn: 'The output "patch-file" has all of them.',
  usePullRequest: 'Use "changes: pull-request"',
  otherPrefix: 'give the step another "branch-prefix"',
  letBypass: "let GitHub Actions bypass that rule",
  noToken: 'the step has no token. Leave the input "github-token" out.',
  badToken: 'the token in "github-token". Leave that input out, or give it a token that has not expired.',
  mayPush: 'Give it "permissions: contents: write".',
  mayDeliver: 'Give the job "permissions: contents: write" and "pull-requests: write".',
  workflowRefused:
    'Bring the branch up to date with its base by hand, or give "github-token" a token that may write workflows.',
  retry: "Re-run the job.",
};
