// The notation of a setting in this job's own configuration, for a fix to copy. Pure.

import type { Environment } from "../base/environment.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { type CiProviderName, ciProviders } from "../contract/ci/providers.ts";
import type { DoctorFix } from "../report/doctor-page.ts";
import type { DoctorFace } from "./examination.ts";

/** A variable of the job, in its own YAML or as a shell has it. */
export function variableText(env: Environment, name: string, value: string): string {
  if (env.GITHUB_ACTIONS === "true") return `env:\n  ${name}: ${value}`;
  if (env.GITLAB_CI === "true") return `variables:\n  ${name}: ${value}`;
  return `export ${name}=${value}`;
}

/** The setting that makes tokens fit the audience which the service expects. */
export function audienceFix(
  expected: string,
  { face, provider }: { face: DoctorFace; provider: CiProviderName | null },
): DoctorFix {
  const tokenLines = provider === null ? null : providerDefinitions[provider].tokenLines;
  if (tokenLines !== null) {
    const text = "Write into this job, and nothing else as the audience:";
    return { text, code: withoutIndent(tokenLines(expected)) };
  }
  if (face === "action") return { text: "Write into this step:", code: `with:\n  audience: ${expected}` };
  return { text: "Give the command the audience:", code: `agent-service doctor --audience ${expected}` };
}

/** The entry by which an operator lets the tokens of this issuer in; null where it takes more than the job knows. */
export function issuerEntry(
  issuer: string,
  { env, provider }: { env: Environment; provider: CiProviderName },
): string | null {
  const { server: variable } = providerDefinitions[provider].variables;
  const server = variable === null ? undefined : env[variable];
  if (!server) return null;
  const entry = {
    provider,
    issuer,
    jwks_uri: issuer + ciProviders[provider].issuer.keysPath,
    clone_url: `${server}/{repository}.git`,
  };
  return `CI_ISSUERS='${JSON.stringify([entry])}'`;
}

/** As the lines stand at the margin. */
function withoutIndent(lines: string): string {
  const indent = /^ */.exec(lines)?.[0] ?? "";
  return lines.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}
