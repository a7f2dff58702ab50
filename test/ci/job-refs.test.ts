import { describe, expect, it } from "vitest";
import { readJobRefs } from "../../src/ci/job-refs.ts";
import { providerDefinitions } from "../../src/ci/providers.ts";

describe("readJobRefs", () => {
  it.each([
    [
      "gitlab",
      {
        CI_PROJECT_NAMESPACE_ID: "72",
        CI_COMMIT_REF_NAME: "topic",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      },
      { ownerId: "72", ref: "refs/heads/topic", baseRef: "main" },
    ],
    [
      "gitlab",
      { CI_COMMIT_TAG: "v1", CI_COMMIT_REF_NAME: "v1" },
      { ownerId: null, ref: "refs/tags/v1", baseRef: null },
    ],
    ["circleci", { CIRCLE_BRANCH: "topic" }, { ownerId: null, ref: "refs/heads/topic", baseRef: null }],
    [
      "buildkite",
      { BUILDKITE_BRANCH: "topic", BUILDKITE_TAG: "", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main" },
      { ownerId: null, ref: "refs/heads/topic", baseRef: "main" },
    ],
    [
      "bitbucket",
      { BITBUCKET_WORKSPACE: "acme", BITBUCKET_BRANCH: "topic", BITBUCKET_PR_DESTINATION_BRANCH: "main" },
      { ownerId: "acme", ref: "refs/heads/topic", baseRef: "main" },
    ],
    [
      "github",
      { GITHUB_REPOSITORY_OWNER_ID: "7", GITHUB_REF: "refs/pull/1/merge", GITHUB_BASE_REF: "main" },
      { ownerId: "7", ref: "refs/pull/1/merge", baseRef: "main" },
    ],
    ["github", {}, { ownerId: null, ref: null, baseRef: null }],
  ] as const)("reads what %s says in %j", (provider, env, refs) => {
    expect(readJobRefs(providerDefinitions[provider].variables, env)).toEqual(refs);
  });
});
