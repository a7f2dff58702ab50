// The variables of one job of each provider, in the published shapes, and stand-ins of the providers' tools.

import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../src/base/environment.ts";

export const SHA = "a".repeat(40);

export const gitlabJob: Environment = {
  GITLAB_CI: "true",
  CI_PROJECT_ID: "20",
  CI_PROJECT_PATH: "my-group/my-project",
  CI_PIPELINE_SOURCE: "push",
  CI_COMMIT_SHA: SHA,
  CI_PIPELINE_ID: "574",
  CI_JOB_ID: "302",
  CI_JOB_NAME: "agent",
};

export const circleciJob: Environment = {
  CIRCLECI: "true",
  CIRCLE_PROJECT_ID: "2b1d7c33-5a55-4a0e-8a41-4c7d0d7c1b22",
  CIRCLE_PROJECT_USERNAME: "octo-org",
  CIRCLE_PROJECT_REPONAME: "octo-repo",
  CIRCLE_SHA1: SHA,
  CIRCLE_WORKFLOW_ID: "3e1d7c33-5a55-4a0e-8a41-4c7d0d7c1b23",
  CIRCLE_WORKFLOW_JOB_ID: "6f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b26",
  CIRCLE_JOB: "agent",
  CIRCLE_NODE_INDEX: "1",
};

export const buildkiteJob: Environment = {
  BUILDKITE: "true",
  BUILDKITE_ORGANIZATION_SLUG: "acme-inc",
  BUILDKITE_PIPELINE_ID: "0184990a-4782-42b5-afc1-16715b10b1a0",
  BUILDKITE_PIPELINE_SLUG: "super-duper-app",
  BUILDKITE_PULL_REQUEST: "false",
  BUILDKITE_SOURCE: "webhook",
  BUILDKITE_COMMIT: SHA,
  BUILDKITE_BUILD_ID: "0184990a-0000-42b5-afc1-16715b10b1a0",
  BUILDKITE_RETRY_COUNT: "2",
  BUILDKITE_STEP_ID: "0184990a-1111-42b5-afc1-16715b10b1a0",
  BUILDKITE_PARALLEL_JOB: "3",
};

export const bitbucketJob: Environment = {
  BITBUCKET_BUILD_NUMBER: "12",
  BITBUCKET_REPO_UUID: "{bd715740-c970-486b-b68a-b421ec2a1f8b}",
  BITBUCKET_REPO_FULL_NAME: "acme/app",
  BITBUCKET_COMMIT: SHA,
  BITBUCKET_PIPELINE_UUID: "{5a4d5ecd-c7d4-4dee-b0f1-2d0b2f7a7a75}",
  BITBUCKET_STEP_UUID: "{759de0c6-eaee-4eaa-b7a6-c507eec759a7}",
  BITBUCKET_STEP_RUN_NUMBER: "2",
};

/** A token of compact form for these audiences. Nobody signed it. */
export function tokenFor(aud: unknown, id = "1"): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return [encode({ alg: "RS256" }), encode({ aud, jti: id }), "c2lnbmVk"].join(".");
}

/** Puts a program into a folder that a test's `PATH` begins with. */
export async function putTool(folder: string, { name, script }: { name: string; script: string }) {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
