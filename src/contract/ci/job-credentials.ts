// Variables in which a CI system, or a workflow by custom, gives a job the credentials that the job itself needs. They are for
// no command, no MCP server and no model: who wants to pass one on gives it a name of their own. Pure.

import type { CiProviderName } from "./providers.ts";

/** What begins with these: of GitHub's runner (ID tokens, caches, artifacts), of inputs, and our own. */
const prefixes = ["ACTIONS_", "INPUT_", "AGENT_SERVICE_"];

/** The variables of each CI provider that are not known by a prefix. */
const variables: Readonly<Record<CiProviderName, readonly string[]>> = {
  // https://cli.github.com/manual/gh_help_environment (2026-11-28)
  github: ["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"],
  // https://docs.gitlab.com/ci/variables/predefined_variables (2026-11-28)
  gitlab: [
    "CI_JOB_TOKEN",
    "CI_BUILD_TOKEN",
    "CI_JOB_JWT",
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "CI_REGISTRY_PASSWORD",
    "CI_DEPLOY_PASSWORD",
    "CI_DEPENDENCY_PROXY_PASSWORD",
    // It has the job's token in it.
    "CI_REPOSITORY_URL",
  ],
  // https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens (2026-11-28)
  circleci: ["CIRCLE_OIDC_TOKEN", "CIRCLE_OIDC_TOKEN_V2"],
  // https://buildkite.com/docs/pipelines/configure/environment-variables (2026-11-28)
  buildkite: ["BUILDKITE_AGENT_ACCESS_TOKEN"],
  // https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets (2026-11-28)
  bitbucket: ["BITBUCKET_STEP_OIDC_TOKEN"],
};
const names: ReadonlySet<string> = new Set(Object.values(variables).flat());

export function isJobCredential(name: string): boolean {
  const known = name.toUpperCase();
  return names.has(known) || prefixes.some((prefix) => known.startsWith(prefix));
}
