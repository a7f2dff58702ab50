// The claims of a GitHub Actions ID token, complete, in the published shape. Pure but for the fresh `jti`.
// https://docs.github.com/en/actions/reference/security/oidc

import { randomUUID } from "node:crypto";

export type Claims = Readonly<Record<string, unknown>>;

export type GithubClaimsContext = {
  readonly issuer: string;
  readonly nowMs: number;
  /** Any claim, replaced; `undefined` leaves it out. What derives from others (`sub`, refs) follows. */
  readonly overrides?: Claims;
};

export const SAMPLE_SHA = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";

/** Life as GitHub gives it: usable from ten minutes before to five minutes after `iat`. */
export function githubClaims(context: GithubClaimsContext): Record<string, unknown> {
  const { issuer, nowMs, overrides = {} } = context;
  const text = (name: string, fallback: string) => {
    const value = overrides[name];
    return typeof value === "string" ? value : fallback;
  };
  const issuedAt = Math.floor(nowMs / 1000);
  const repository = text("repository", "octo-org/octo-repo");
  const owner = repository.split("/")[0] ?? "";
  const event = text("event_name", "push");
  const ref = text("ref", "refs/heads/main");
  const sha = text("sha", SAMPLE_SHA);
  const workflowRef = `${repository}/.github/workflows/agent.yml@${ref}`;
  const claims: Record<string, unknown> = {
    jti: randomUUID(),
    sub: `repo:${repository}:${event === "pull_request" ? "pull_request" : `ref:${ref}`}`,
    aud: `https://github.com/${owner}`,
    ref,
    sha,
    repository,
    repository_owner: owner,
    repository_owner_id: "65",
    run_id: "1296269001",
    run_number: "10",
    run_attempt: "1",
    repository_visibility: "public",
    repository_id: "74",
    actor_id: "12",
    actor: "octocat",
    workflow: "agent",
    head_ref: "",
    base_ref: "",
    event_name: event,
    ref_protected: "false",
    ref_type: ref.startsWith("refs/tags/") ? "tag" : "branch",
    workflow_ref: workflowRef,
    workflow_sha: sha,
    job_workflow_ref: workflowRef,
    job_workflow_sha: sha,
    runner_environment: "github-hosted",
    check_run_id: "42118001",
    iss: issuer,
    nbf: issuedAt - 600,
    exp: issuedAt + 300,
    iat: issuedAt,
    ...overrides,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
