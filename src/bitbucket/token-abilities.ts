// What the token in the step can do: asked of Bitbucket before anything is written, so that what it lacks is one line and no failure. Each answer
// names the scopes of the token that asked. https://developer.atlassian.com/cloud/bitbucket/bitbucket-cloud-rest-api-scopes (2026-11-29)
// Why: docs/decisions/188-bitbucket-writes-back.md

import { singleLine } from "../base/untrusted-text.ts";
import { TokenAccount } from "./account.ts";
import type { BitbucketApi } from "./bitbucket-api.ts";
import { BitbucketError } from "./bitbucket-error.ts";
import { type Repository, repositorySchema } from "./repository.ts";
import { ALL_SCOPES, advised, TOKEN_VARIABLE } from "./token-advice.ts";

const MAX_SCOPE_CHARS = 200;

/** What is written, and the scopes that it takes, as the reference names them for each call. */
const writes = {
  comment: { what: "the comment on the pull request", scopes: ["pullrequest"] },
  commit: { what: "the run's changes", scopes: ["repository:write"] },
  "pull-request": { what: "the run's changes", scopes: ["pullrequest:write", "repository:write"] },
  review: { what: "the review", scopes: ["pullrequest"] },
  status: { what: "the build status", scopes: ["repository"] },
} as const;
export type BitbucketWrite = keyof typeof writes;

/** Other scopes that come with one. */
const implied: Readonly<Record<string, readonly string[]>> = {
  "pullrequest:write": ["pullrequest", "repository:write", "repository"],
  pullrequest: ["repository"],
  "repository:write": ["repository"],
};

export type TokenAbilities = {
  /** Null where the token may not read it: then it may write nothing. */
  readonly repository: Repository | null;
  /** Null where Bitbucket does not say. */
  readonly scopes: readonly string[] | null;
  readonly account: TokenAccount;
};

/** Rejects with StepError where Bitbucket does not take the token, or does not answer. */
export async function readAbilities(api: BitbucketApi): Promise<TokenAbilities> {
  const found = await advised(
    api.readRepository(repositorySchema).catch((cause: unknown) => {
      if (cause instanceof BitbucketError && cause.scopeLack !== null)
        return { value: null, scopes: cause.scopeLack.granted };
      throw cause;
    }),
  );
  const account = await advised(TokenAccount.read(api));
  return { repository: found.value, scopes: found.scopes, account };
}

/** Null where the token may write it; else one line for the log: what is not written, what it takes, what came, what to do. */
export function lackOf({ scopes, repository }: TokenAbilities, write: BitbucketWrite): string | null {
  const { what, scopes: needed } = writes[write];
  const given = scopes === null ? null : scopes.map(classicName);
  const has = new Set(given?.flatMap((scope) => [scope, ...(implied[scope] ?? [])]));
  if (repository !== null && (given === null || needed.every((scope) => has.has(scope)))) return null;
  return (
    `Not written: ${what}. It takes the scope${needed.length === 1 ? "" : "s"} ${quoted(needed)}; the token in ${TOKEN_VARIABLE} has ` +
    `${given === null || given.length === 0 ? "none" : singleLine(quoted(given), MAX_SCOPE_CHARS)}. ` +
    `Make a new repository access token with ${ALL_SCOPES}, and store it in that variable. The run goes on without.`
  );
}

/** API tokens of people have scopes by other names: "write:pullrequest:bitbucket" is "pullrequest:write". */
function classicName(scope: string): string {
  const [, kind, what] = /^(read|write):(\w+):bitbucket$/.exec(scope) ?? [];
  if (kind === undefined || what === undefined) return scope;
  return kind === "read" ? what : `${what}:write`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
