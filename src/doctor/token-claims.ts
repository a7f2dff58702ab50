// What may be shown of an ID token: a fixed list of claims that say who the job is, decoded without believing them.
// Pure. The token itself is in none of it.

/** Never more than these: a claim that is new to us may be a secret to somebody. */
const shown = [
  "iss",
  "aud",
  "repository",
  "repository_id",
  "event_name",
  "ref",
  "workflow_ref",
  "actor",
  "project_path",
  "project_id",
  "pipeline_source",
  "organization_slug",
  "pipeline_slug",
  "pipeline_id",
  "build_branch",
  "oidc.circleci.com/project-id",
  "repositoryUuid",
  "workspaceUuid",
] as const;

/** What providers write between the values of `sub`. */
const subjectWords = new Set([
  "repo",
  "ref",
  "environment",
  "pull_request",
  "repository_id",
  "repository_owner",
  "job_workflow_ref",
  "project_path",
  "ref_type",
  "branch",
  "tag",
  "organization",
  "pipeline",
  "commit",
  "step",
  "org",
  "project",
  "user",
]);

export type TokenClaims = {
  readonly facts: Readonly<Record<string, string>>;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number | null;
  readonly lifeSeconds: number | null;
};

/** Null where it is no token. */
export function readClaims(token: string): TokenClaims | null {
  const claims = payloadOf(token);
  if (claims === null) return null;
  const { iat, exp, sub, aud } = claims;
  const issuedAt = typeof iat === "number" ? iat : null;
  const lifeSeconds = issuedAt !== null && typeof exp === "number" ? exp - issuedAt : null;
  const facts: Record<string, string> = {};
  for (const name of shown) {
    const text = textOf(claims[name]);
    if (text !== null) facts[name] = text;
  }
  if (typeof sub === "string") facts["sub, its form"] = subjectForm(sub, claims);
  if (lifeSeconds !== null) facts["exp - iat"] = `${lifeSeconds} s`;
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string");
  return { facts, audiences, issuedAt, lifeSeconds };
}

/** `repo:octo/hello:ref:refs/heads/main` as `repo:<repository>:ref:<ref>`: what is neither a word nor a claim is `…`. */
function subjectForm(sub: string, claims: Readonly<Record<string, unknown>>): string {
  return sub
    .split(":")
    .map((part) => {
      if (subjectWords.has(part)) return part;
      const claim = shown.find((name) => claims[name] === part);
      return claim === undefined ? "…" : `<${claim}>`;
    })
    .join(":");
}

function textOf(value: unknown): string | null {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join(", ");
  return null;
}

function payloadOf(token: string): Readonly<Record<string, unknown>> | null {
  try {
    const text = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
    const payload: unknown = JSON.parse(text);
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? { ...payload } : null;
  } catch {
    return null;
  }
}
