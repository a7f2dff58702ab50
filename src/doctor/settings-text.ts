// How a setting is written where this job is written: what a fix tells to copy. Pure.

import { GITLAB_TOKEN_VARIABLE } from "../ci/gitlab.ts";
import type { CiProviderName, Environment } from "../ci/provider.ts";
import type { DoctorFix } from "../report/doctor-page.ts";
import type { Face } from "./examination.ts";

/** A variable of the job, in its own YAML or as a shell has it. */
export function variableText(env: Environment, name: string, value: string): string {
  if (env.GITHUB_ACTIONS === "true") return `env:\n  ${name}: ${value}`;
  if (env.GITLAB_CI === "true") return `variables:\n  ${name}: ${value}`;
  return `export ${name}=${value}`;
}

/** What makes tokens fit the audience that the service expects. */
export function audienceFix(
  expected: string,
  { face, provider }: { face: Face; provider: CiProviderName | null },
): DoctorFix {
  if (provider === "gitlab") {
    return {
      text: "Write into this job, and nothing else as the audience:",
      code: `id_tokens:\n  ${GITLAB_TOKEN_VARIABLE}:\n    aud: ${expected}`,
    };
  }
  if (provider === "bitbucket") {
    return { text: "Write into this step:", code: `oidc:\n  audiences:\n    - ${expected}` };
  }
  if (face === "action") return { text: "Write into this step:", code: `with:\n  audience: ${expected}` };
  return { text: "Give the command the audience:", code: `agent-service doctor --audience ${expected}` };
}

/** The entry by which an operator lets the tokens of this issuer in; null where it takes more than the job knows. */
export function issuerEntry(
  issuer: string,
  { env, provider }: { env: Environment; provider: CiProviderName },
): string | null {
  const known = {
    github: { keys: "/.well-known/jwks", server: env.GITHUB_SERVER_URL },
    gitlab: { keys: "/oauth/discovery/keys", server: env.CI_SERVER_URL },
    circleci: null,
    buildkite: null,
    bitbucket: null,
  }[provider];
  if (known === null || !known.server) return null;
  const entry = {
    provider,
    issuer,
    jwks_uri: issuer + known.keys,
    clone_url: `${known.server}/{repository}.git`,
  };
  return `CI_ISSUERS='${JSON.stringify([entry])}'`;
}
