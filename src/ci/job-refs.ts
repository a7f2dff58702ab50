// What a job's environment says of its branch and owner, for a service that lives inside the job. Nobody checks it.

import type { CiProviderName, Environment } from "./provider.ts";

export type JobRefs = {
  readonly ownerId: string | null;
  /** A full ref; null where the job has none. */
  readonly ref: string | null;
  /** The branch that a pull request wants to change; null for every other job. */
  readonly baseRef: string | null;
};

type Names = { readonly owner: string; readonly tag: string; readonly branch: string; readonly base: string };

const variables: Readonly<Record<Exclude<CiProviderName, "github">, Names>> = {
  gitlab: {
    owner: "CI_PROJECT_NAMESPACE_ID",
    tag: "CI_COMMIT_TAG",
    branch: "CI_COMMIT_REF_NAME",
    base: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
  },
  // CircleCI names no base.
  circleci: { owner: "CIRCLE_ORGANIZATION_ID", tag: "CIRCLE_TAG", branch: "CIRCLE_BRANCH", base: "" },
  buildkite: {
    owner: "BUILDKITE_ORGANIZATION_SLUG",
    tag: "BUILDKITE_TAG",
    branch: "BUILDKITE_BRANCH",
    base: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
  },
  bitbucket: {
    owner: "BITBUCKET_WORKSPACE",
    tag: "BITBUCKET_TAG",
    branch: "BITBUCKET_BRANCH",
    base: "BITBUCKET_PR_DESTINATION_BRANCH",
  },
};

/** Reads the variables of the provider. Pure. */
export function readJobRefs(provider: CiProviderName, env: Environment): JobRefs {
  if (provider === "github") {
    return {
      ownerId: env.GITHUB_REPOSITORY_OWNER_ID || null,
      ref: env.GITHUB_REF || null,
      baseRef: env.GITHUB_BASE_REF || null,
    };
  }
  const names = variables[provider];
  const [tag, branch] = [env[names.tag], env[names.branch]];
  const ofBranch = branch ? `refs/heads/${branch}` : null;
  return {
    ownerId: env[names.owner] || null,
    ref: tag ? `refs/tags/${tag}` : ofBranch,
    baseRef: env[names.base] || null,
  };
}

/** Whether some CI runs this process, one that is not supported too. Pure. */
export function isInCi(env: Environment): boolean {
  const isSet = (name: string) => !["", "0", "false"].includes((env[name] ?? "").toLowerCase());
  return ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "BUILD_ID"].some(isSet);
}
