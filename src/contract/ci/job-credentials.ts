// Variables in which a CI system, or a workflow by custom, gives a job the credentials that the job itself needs. They are for
// no command, no MCP server and no model: who wants to pass one on gives it a name of their own. Pure.

/** Of GitHub's runner (ID tokens, caches, artifacts), of inputs, and our own. */
const prefixes = ["ACTIONS_", "INPUT_", "AGENT_SERVICE_"];
/**
 * https://docs.gitlab.com/ci/variables/predefined_variables, https://cli.github.com/manual/gh_help_environment,
 * https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens, https://buildkite.com/docs/pipelines/configure/environment-variables,
 * https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets (2026-11-28)
 */
const names: ReadonlySet<string> = new Set([
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_ENTERPRISE_TOKEN",
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
  "CIRCLE_OIDC_TOKEN",
  "CIRCLE_OIDC_TOKEN_V2",
  "BUILDKITE_AGENT_ACCESS_TOKEN",
  "BITBUCKET_STEP_OIDC_TOKEN",
]);

export function isJobCredential(name: string): boolean {
  const known = name.toUpperCase();
  return names.has(known) || prefixes.some((prefix) => known.startsWith(prefix));
}
