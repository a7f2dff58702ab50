// The rights of the code host's own token, as far as reading tells. Nothing is written: what it may write stays open.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps

import type { Environment } from "../base/environment.ts";
import { parseJson } from "../base/json.ts";
import { ConnectionError, DecodeError } from "../client/errors.ts";
import type { Transport, TransportResponse } from "../client/transport.ts";
import type { CheckState, DoctorCheck, DoctorFix } from "../report/doctor-page.ts";
import { found, type GitHubToken } from "./examination.ts";

export const GITHUB_TOKEN_HEADING = { id: "github-token", title: "GitHub token" };

const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Permissions that each feature needs, in a workflow's words. */
const needs: Readonly<Record<string, string>> = {
  "to read a prompt file": "contents: read",
  "to read a thread": "issues: read, pull-requests: read",
  "to comment on an issue": "issues: write",
  "to comment on a pull request": "pull-requests: write",
  "to push changes": "contents: write",
  "to open a pull request": "contents: write, pull-requests: write",
};

const probes = [
  { permission: "contents", path: "/contents/" },
  { permission: "issues", path: "/issues?per_page=1" },
  { permission: "pull-requests", path: "/pulls?per_page=1" },
] as const;

type GitHubTokenOptions = {
  readonly token: GitHubToken;
  readonly env: Environment;
  readonly transport: Transport;
  readonly version: string;
  readonly signal: AbortSignal | undefined;
};

export async function checkGitHubToken(options: GitHubTokenOptions): Promise<DoctorCheck> {
  const { token } = options;
  const repository = await read(options, "");
  if (typeof repository === "string") {
    return conclude(options, {
      state: "warning",
      found: `The REST API was not reached, so that nothing is known of ${token.from}. ${repository}`,
    });
  }
  if (repository.status === 401) {
    return conclude(options, {
      state: "fault",
      found: `GitHub does not know ${token.from} (401): it is wrong, or it ended with an earlier job.`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
      fixes: [{ text: "Give the job's own:", code: "with:\n  github-token: ${{ github.token }}" }],
    });
  }
  if (repository.status !== 200) {
    return conclude(options, {
      state: "fault",
      found: `${token.from} may not see this repository (${repository.status}): ${messageOf(repository)}`,
      facts: { "it would need": repository.headers("x-accepted-github-permissions") },
      fixes: [permissionFix("contents: read")],
    });
  }
  const readable: Record<string, string> = {};
  const refused: string[] = [];
  for (const { permission, path } of probes) {
    const answer = await read(options, path);
    const said = typeof answer === "string" ? "not known" : readText(answer);
    readable[`${permission}, reading`] = said;
    if (said.startsWith("refused")) refused.push(`${permission}: read`);
  }
  return conclude(options, {
    state: refused.length === 0 ? "ok" : "warning",
    found:
      refused.length === 0
        ? "It reads this repository. What it may write cannot be told by reading."
        : `It may not read everything: ${refused.join(", ")} is missing.`,
    facts: { ...readable, ...grantedFacts(repository) },
    fixes: refused.length === 0 ? [] : [permissionFix(...refused)],
  });
}

type Conclusion = {
  readonly state: CheckState;
  readonly found: string;
  readonly facts?: Readonly<Record<string, string | undefined>>;
  readonly fixes?: readonly DoctorFix[];
};

function conclude({ token }: GitHubTokenOptions, { facts = {}, ...rest }: Conclusion): DoctorCheck {
  return found(GITHUB_TOKEN_HEADING, {
    ...rest,
    facts: {
      from: token.from,
      ...facts,
      writing: 'cannot be told by reading: the log of "Set up job" lists "GITHUB_TOKEN Permissions"',
      ...needs,
    },
  });
}

/** Scopes that user tokens say of themselves; a job's own says nothing. */
function grantedFacts({ headers, body }: TransportResponse): Record<string, string | undefined> {
  return {
    scopes: headers("x-oauth-scopes"),
    "ends at": headers("github-authentication-token-expiration"),
    "requests left": headers("x-ratelimit-remaining"),
    "its person may": roleIn(body),
  };
}

function roleIn(body: string): string | undefined {
  const value = parseJson(body);
  const permissions = fieldOf(value, "permissions");
  if (typeof permissions !== "object" || permissions === null) return undefined;
  const held = Object.entries(permissions).filter(([, isHeld]) => isHeld === true);
  return held.map(([name]) => name).join(", ") || undefined;
}

function readText(answer: TransportResponse): string {
  const { status, headers } = answer;
  if (status === 200) return "yes";
  // 404 and 410: no commit yet, or the feature is switched off. Neither is the token's doing.
  if (status === 404 || status === 410) return "nothing there";
  const accepted = headers("x-accepted-github-permissions");
  if (status === 403 && headers("x-ratelimit-remaining") !== "0") {
    return accepted === undefined ? `refused (${messageOf(answer)})` : `refused, it would need ${accepted}`;
  }
  return `not known (${status})`;
}

function permissionFix(...permissions: readonly string[]): DoctorFix {
  return {
    text: "Write into the job, beside what it has:",
    code: ["permissions:", "  id-token: write", ...permissions.map((line) => `  ${line}`)].join("\n"),
  };
}

/** The answer, or a sentence on why there is none. */
async function read(options: GitHubTokenOptions, path: string): Promise<TransportResponse | string> {
  const { token, env, transport, version, signal } = options;
  const { GITHUB_API_URL: api = "https://api.github.com", GITHUB_REPOSITORY: repository = "" } = env;
  try {
    return await transport({
      method: "GET",
      url: `${api}/repos/${repository}${path}`,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token.value}`,
        "user-agent": `agent-service-doctor/${version}`,
        "x-github-api-version": "2022-11-28",
      },
      timeoutMs: ANSWER_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ConnectionError || cause instanceof DecodeError) return cause.message;
    throw cause;
  }
}

function messageOf({ body, status }: TransportResponse): string {
  const message = fieldOf(parseJson(body), "message");
  return typeof message === "string" ? message : `it answered ${status}`;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map(Object.entries(value)).get(name);
}
