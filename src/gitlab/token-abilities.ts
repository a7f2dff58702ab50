// What the token in the job can do: asked of GitLab before anything is written, so that what it lacks is one line and no failure.
// https://docs.gitlab.com/api/personal_access_tokens, …/api/project_members, …/user/permissions (2026-11-29)
// Why: docs/decisions/183-gitlab-writes-back.md

import * as z from "zod/mini";
import type { Clock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { GitLabApi } from "./gitlab-api.ts";
import { GitLabError } from "./gitlab-error.ts";
import { TOKEN_VARIABLE } from "./token-advice.ts";
import { readViewer, type Viewer } from "./viewer.ts";

const DAY_MS = 86_400_000;
const WARNED_DAYS = 14;
const MAX_SCOPE_CHARS = 200;

/** What is written, and the least role for it. All of it takes the scope "api". */
const writes = {
  comment: { what: "the note on the merge request", level: 20 },
  commit: { what: "the run's changes", level: 30 },
  "pull-request": { what: "the run's changes", level: 30 },
  review: { what: "the review", level: 30 },
  status: { what: "the commit status", level: 30 },
} as const;
export type GitLabWrite = keyof typeof writes;

const roles = [
  { level: 50, name: "Owner" },
  { level: 40, name: "Maintainer" },
  { level: 30, name: "Developer" },
  { level: 20, name: "Reporter" },
  { level: 15, name: "Planner" },
  { level: 10, name: "Guest" },
] as const;

const tokenSchema = z.object({
  scopes: z.array(z.string()),
  active: z.optional(z.boolean()),
  revoked: z.optional(z.boolean()),
  expires_at: z.optional(z.nullable(z.string())),
});
const memberSchema = z.object({ access_level: z.int() });

export type TokenAbilities = {
  readonly viewer: Viewer;
  /** Null where GitLab does not say: before 15.5. */
  readonly scopes: readonly string[] | null;
  /** The role of its account in the project, as GitLab counts them; 0 for none. */
  readonly level: number;
  /** The day on which it ends: "2026-12-31". Null where it is not known. */
  readonly expiresOn: string | null;
};

/** Rejects with StepError where GitLab does not take the token, or does not answer. */
export async function readAbilities(api: GitLabApi): Promise<TokenAbilities> {
  const token = await api.readGlobal("/personal_access_tokens/self", tokenSchema).catch((cause: unknown) => {
    // Of a token that is not valid, the next call says so in its own words.
    if (cause instanceof GitLabError && cause.code === "code_host_refused") return null;
    throw cause;
  });
  const viewer = await readViewer(api);
  const member = await api.read(`/members/all/${viewer.id}`, memberSchema).catch((cause: unknown) => {
    if (cause instanceof GitLabError && cause.isDenied) return null;
    throw cause;
  });
  return {
    viewer,
    scopes: token?.scopes ?? null,
    level: member?.access_level ?? 0,
    expiresOn: token?.expires_at ?? null,
  };
}

/** Null where the token may write it; else one line for the log: what is not written, what it takes, what came, what to do. */
export function lackOf({ scopes, level }: TokenAbilities, write: GitLabWrite): string | null {
  const { what, level: least } = writes[write];
  const hasScope = scopes === null || scopes.includes("api");
  if (hasScope && level >= least) return null;
  const given = scopes === null ? "" : `the scopes ${scopes.map((scope) => `"${scope}"`).join(", ")} and `;
  return (
    `Not written: ${what}. It takes the scope "api" and at least the role ${roleOf(least)}; the token in ${TOKEN_VARIABLE} has ` +
    `${singleLine(given, MAX_SCOPE_CHARS)}${given === "" ? "" : " "}${level === 0 ? "no role in this project" : `the role ${roleOf(level)}`}. ` +
    "Make a new project access token and store it in that variable. The run goes on without."
  );
}

function roleOf(level: number): string {
  return roles.find((role) => level >= role.level)?.name ?? String(level);
}

/** A warning in the last fourteen days of the token; null before, and where its end is not known. */
export function expiryWarning({ expiresOn }: TokenAbilities, clock: Clock): string | null {
  if (expiresOn === null || !/^\d{4}-\d{2}-\d{2}$/.test(expiresOn)) return null;
  const now = clock.now();
  const days = Math.floor((Date.parse(`${expiresOn}T00:00:00Z`) - now) / DAY_MS);
  if (!(days <= WARNED_DAYS)) return null;
  const when = days < 1 ? "within a day" : days === 1 ? "in one day" : `in ${days} days`;
  return `The token in ${TOKEN_VARIABLE} expires on ${expiresOn}, ${when}: rotate it under Settings, Access tokens, and store the new one in that variable.`;
}
