// The repository of the step, and its pull request, as Bitbucket has them: variables of a pipeline can be set by others.
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories, …/api-group-pullrequests (2026-11-29)

import * as z from "zod/mini";
import { StepError } from "../job/step-error.ts";
import { accountSchema } from "./account.ts";
import type { BitbucketApi } from "./bitbucket-api.ts";
import { advised } from "./token-advice.ts";

const MIN_HASH_CHARS = 12;

export const repositorySchema = z.object({
  uuid: z.string(),
  full_name: z.string(),
  mainbranch: z.optional(z.nullable(z.object({ name: z.string() }))),
  links: z.object({ html: z.object({ href: z.string() }) }),
});
const endSchema = z.object({
  branch: z.object({ name: z.string() }),
  // Abbreviated.
  commit: z.nullable(z.object({ hash: z.string().check(z.regex(/^[0-9a-f]{12,64}$/)) })),
  /** Null where the fork is gone. */
  repository: z.nullable(z.object({ uuid: z.string() })),
});
export const pullRequestSchema = z.object({
  id: z.int(),
  title: z.string(),
  description: z.optional(z.nullable(z.string())),
  state: z.string(),
  author: z.optional(z.nullable(accountSchema)),
  source: endSchema,
  destination: endSchema,
  links: z.object({ html: z.object({ href: z.string() }) }),
});

export type Repository = z.infer<typeof repositorySchema>;
export type BitbucketPull = z.infer<typeof pullRequestSchema>;

/** Null where Bitbucket does not show it to the token. Rejects with StepError. */
export async function readPullRequest(api: BitbucketApi, number: number): Promise<BitbucketPull | null> {
  return await advised(api.read(`/pullrequests/${number}`, pullRequestSchema));
}

/** Whether its branch is of another repository: then an outsider wrote what the pipeline executes. */
export function isOfFork({ source, destination }: BitbucketPull): boolean {
  return source.repository?.uuid !== destination.repository?.uuid;
}

/** Whether an abbreviated hash is this commit's. */
export function isHashOf(hash: string, sha: string): boolean {
  return hash.length >= MIN_HASH_CHARS && sha.startsWith(hash);
}

/** The whole hash of a commit; null where Bitbucket has none. Rejects with BitbucketError. */
export async function readWholeHash(api: BitbucketApi, hash: string): Promise<string | null> {
  const schema = z.object({ hash: z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)) });
  return (await api.read(`/commit/${hash}`, schema))?.hash ?? null;
}

/**
 * The server of the repository's git, without a trailing slash: as the API names the repository's page. Throws StepError for one that is not
 * the API's own, as the token is sent there.
 */
export function serverOf({ links }: Repository, apiUrl: string): string {
  const { origin, hostname } = new URL(links.html.href);
  const own = new URL(apiUrl);
  if (
    hostname === own.hostname.replace(/^api\./, "") &&
    (origin.startsWith("https:") || own.protocol === "http:")
  )
    return origin;
  throw new StepError(
    "code_host_refused",
    "Bitbucket names a page of the repository on another server than its own.",
  );
}
