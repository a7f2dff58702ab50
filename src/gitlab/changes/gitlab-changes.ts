// GitLab as the delivery of changes needs it: by the token of the workflow, in the words of the command.

import type { Environment } from "../../base/environment.ts";
import type { ChangesHost, ChangesSubject, ChangesWords } from "../../job/changes/changes-host.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { withoutQuickActions } from "../inert-actions.ts";
import type { Project } from "../project.ts";
import { roleAdvice, TOKEN_VARIABLE } from "../token-advice.ts";
import type { Viewer } from "../viewer.ts";
import { withoutClosingWords, withoutMergeRequests } from "./inert-references.ts";
import { findMergeRequests, openMergeRequest, renewDescription } from "./merge-requests.ts";

export type GitLabChangesOptions = {
  readonly api: GitLabApi;
  readonly token: string;
  /** The address of the API's server, without a trailing slash: the token goes there alone. */
  readonly serverUrl: string;
  readonly project: Project;
  readonly viewer: Viewer;
  readonly env: Environment;
  readonly subject: ChangesSubject | null;
};

/** Pipelines that a person has started. https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable */
const BY_HAND: readonly string[] = ["web", "webide"];

/** Sends nothing until the first call. */
export function gitlabChanges(options: GitLabChangesOptions): ChangesHost {
  const { api, token, serverUrl, project, viewer, env, subject } = options;
  const { id: projectId, web_url: web } = project;
  const noreply = `users.noreply.${new URL(serverUrl).hostname}`;
  const isByHand = BY_HAND.includes(env.CI_PIPELINE_SOURCE ?? "");
  return {
    words,
    git: {
      serverUrl,
      repository: project.path_with_namespace,
      // Any name goes with a token.
      user: "agent-service",
      token,
      // Not every CI provider can mask a value. Tokens are never printed.
      setSecret: () => {},
    },
    links: { repositoryUrl: `${web}/-` },
    jobUrl: env.CI_JOB_URL ?? env.CI_PIPELINE_URL ?? "",
    branch: env.CI_COMMIT_BRANCH || null,
    jobName: env.CI_JOB_NAME ?? "",
    isRequested: subject !== null || isByHand,
    coAuthor: isByHand ? coAuthorOf(env, noreply) : null,
    commitUrl: (sha) => `${web}/-/commit/${sha}`,
    pullRequestUrl: (number) => `${web}/-/merge_requests/${number}`,
    committer: async () => {
      const { id, username, commit_email: email } = viewer;
      return { id, name: username, email: email || `${id}-${username}@${noreply}` };
    },
    findPullRequests: (branch) => findMergeRequests(api, { projectId, branch }),
    openPullRequest: (wanted) => openMergeRequest(api, wanted, projectId),
    renewBody: (pull, body) => renewDescription(api, pull, body),
    readDefaultBranch: async () => project.default_branch ?? "main",
    inert: (text) => withoutQuickActions(withoutClosingWords(text)),
    inertTitle: withoutMergeRequests,
    // GitLab signs commits of its web editor alone.
    signer: null,
  };
}

/** https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email (2026-11-29) */
function coAuthorOf(env: Environment, noreply: string): string | null {
  const { GITLAB_USER_LOGIN: login = "", GITLAB_USER_ID: id = "" } = env;
  if (!/^[\w.-]{1,100}$/.test(login) || !/^\d{1,20}$/.test(id)) return null;
  return `Co-authored-by: ${login} <${id}-${login}@${noreply}>`;
}

const role = roleAdvice({ number: 0, isPullRequest: true });

const words: ChangesWords = {
  host: "GitLab",
  pullRequest: "merge request",
  named: (number) => `merge request !${number}`,
  mark: "!",
  deliveredName: (number) => `merge request !${number}`,
  patchIsIn: "The file changes.patch in the output folder has all of them.",
  usePullRequest: "Use --changes pull-request",
  otherPrefix: "give --branch-prefix another value",
  letBypass: "allow the account of the token to push there",
  noToken: `the job has no token in ${TOKEN_VARIABLE}.`,
  badToken: `the token in ${TOKEN_VARIABLE}, or not any more. Make a new project access token with the scope "api".`,
  mayPush: role,
  mayDeliver: role,
  workflowRefused: "Apply the patch by hand.",
  retry: "Re-run the job.",
};
