// The claims of the ID tokens of GitLab, CircleCI, Buildkite and Bitbucket, complete, in the published shapes. Pure but
// for GitLab's fresh `jti`, which the others do not have.

import { randomUUID } from "node:crypto";
import { type Claims, SAMPLE_SHA } from "./claims.ts";

export type ProviderClaimsContext = {
  readonly issuer: string;
  readonly nowMs: number;
  readonly audience: string;
  /** Any claim, replaced; `undefined` leaves it out. */
  readonly overrides?: Claims;
};

export const CIRCLECI_ORG = "0b4a3d2c-2f1e-4c7a-9d11-6a2b8c4e5f60";
export const CIRCLECI = "oidc.circleci.com/";
export const BITBUCKET_REPOSITORY = "{bd715740-c970-486b-b68a-b421ec2a1f8b}";
export const BITBUCKET_WORKSPACE = "{922e118c-f34f-4226-a897-0e0afbec553d}";

/** https://docs.gitlab.com/ci/secrets/id_token_authentication */
export function gitlabClaims(context: ProviderClaimsContext): Record<string, unknown> {
  return complete(context, {
    namespace_id: "72",
    namespace_path: "my-group",
    project_id: "20",
    project_path: "my-group/my-project",
    project_visibility: "public",
    job_project_id: "20",
    job_project_path: "my-group/my-project",
    job_namespace_id: "72",
    job_namespace_path: "my-group",
    user_id: "1",
    user_login: "sample-user",
    user_email: "sample-user@example.com",
    pipeline_id: "574",
    pipeline_source: "push",
    job_id: "302",
    ref: "main",
    ref_type: "branch",
    ref_path: "refs/heads/main",
    ref_protected: "true",
    runner_id: 1,
    runner_environment: "gitlab-hosted",
    sha: SAMPLE_SHA,
    ci_config_ref_uri: `${new URL(context.issuer).host}/my-group/my-project//.gitlab-ci.yml@refs/heads/main`,
    ci_config_sha: SAMPLE_SHA,
    jti: randomUUID(),
    sub: "project_path:my-group/my-project:ref_type:branch:ref:main",
    aud: context.audience,
    life: 3600,
  });
}

/** https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/ */
export function circleciClaims(context: ProviderClaimsContext): Record<string, unknown> {
  const project = "2b1d7c33-5a55-4a0e-8a41-4c7d0d7c1b22";
  return complete(context, {
    sub: `org/${CIRCLECI_ORG}/project/${project}/user/7a0c1f22-1111-4d0e-8b41-4c7d0d7c1b33`,
    [`${CIRCLECI}project-id`]: project,
    [`${CIRCLECI}org-id`]: CIRCLECI_ORG,
    [`${CIRCLECI}pipeline-id`]: "4f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b24",
    [`${CIRCLECI}pipeline-definition-id`]: "5f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b25",
    [`${CIRCLECI}workflow-id`]: "3e1d7c33-5a55-4a0e-8a41-4c7d0d7c1b23",
    [`${CIRCLECI}job-id`]: "6f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b26",
    [`${CIRCLECI}context-ids`]: [],
    [`${CIRCLECI}vcs-origin`]: "github.com/octo-org/octo-repo",
    [`${CIRCLECI}vcs-ref`]: "refs/heads/main",
    [`${CIRCLECI}ssh-rerun`]: false,
    aud: context.audience,
    life: 3600,
  });
}

/** https://buildkite.com/docs/agent/cli/reference/oidc */
export function buildkiteClaims(context: ProviderClaimsContext): Record<string, unknown> {
  return complete(context, {
    sub: `organization:acme-inc:pipeline:super-duper-app:ref:refs/heads/main:commit:${SAMPLE_SHA}:step:build`,
    organization_slug: "acme-inc",
    pipeline_slug: "super-duper-app",
    organization_id: "0184990a-477b-4fa8-9968-496074483c77",
    pipeline_id: "0184990a-4782-42b5-afc1-16715b10b1a0",
    build_number: 17,
    build_branch: "main",
    build_commit: SAMPLE_SHA,
    build_source: "schedule",
    step_key: "build",
    job_id: "0184990a-477b-4fa8-9968-496074483cee",
    agent_id: "0184990a-4782-42b5-afc1-16715b10b8ff",
    runner_environment: "self-hosted",
    aud: context.audience,
    life: 300,
  });
}

/** https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/ */
export function bitbucketClaims(context: ProviderClaimsContext): Record<string, unknown> {
  const step = "{759de0c6-eaee-4eaa-b7a6-c507eec759a7}";
  return complete(context, {
    sub: `${BITBUCKET_REPOSITORY}:${step}`,
    stepUuid: step,
    repositoryUuid: BITBUCKET_REPOSITORY,
    workspaceUuid: BITBUCKET_WORKSPACE,
    pipelineUuid: "{5a4d5ecd-c7d4-4dee-b0f1-2d0b2f7a7a75}",
    deploymentEnvironmentUuid: "{8b1d5ecd-c7d4-4dee-b0f1-2d0b2f7a7a76}",
    branchName: "main",
    aud: [context.audience],
    life: 3600,
  });
}

function complete(
  { issuer, nowMs, overrides }: ProviderClaimsContext,
  { life, ...own }: Record<string, unknown> & { life: number },
): Record<string, unknown> {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = { ...own, iss: issuer, iat: issuedAt, exp: issuedAt + life, ...overrides };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
