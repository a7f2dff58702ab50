// The event that triggered the job: the few fields of GitHub's payload that we rely on, read defensively.

import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import type { Environment } from "../base/environment.ts";

const endSchema = z.object({
  sha: z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)),
  /** Null when the fork is gone. */
  repo: z.nullish(z.object({ id: z.int() })),
});

const payloadSchema = z.object({
  pull_request: z.optional(z.object({ number: z.int(), base: endSchema, head: endSchema })),
});

type GitHubEvent = {
  /** The commit of the base branch that a pull request wants to change; null for every other event. */
  readonly baseSha: string | null;
  /** Null for every event but that of a pull request. */
  readonly pullRequest: { readonly number: number; readonly headSha: string } | null;
  /** True also when the fork was deleted: deleting it must not gain anything. */
  readonly isForkPullRequest: boolean;
};

const UNKNOWN_EVENT: GitHubEvent = { baseSha: null, pullRequest: null, isForkPullRequest: false };

/** Reads the payload file. A missing or foreign payload reads as an event without a pull request. */
export async function readGitHubEvent(env: Environment): Promise<GitHubEvent> {
  const path = env.GITHUB_EVENT_PATH;
  if (!path) return UNKNOWN_EVENT;
  try {
    return decodeGitHubEvent(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return UNKNOWN_EVENT;
  }
}

/** Decodes a payload. Pure. */
export function decodeGitHubEvent(payload: unknown): GitHubEvent {
  const parsed = payloadSchema.safeParse(payload);
  const pull = parsed.success ? parsed.data.pull_request : undefined;
  if (pull === undefined) return UNKNOWN_EVENT;
  const { number, base, head } = pull;
  const isForkPullRequest = !head.repo || !base.repo || head.repo.id !== base.repo.id;
  return { baseSha: base.sha, pullRequest: { number, headSha: head.sha }, isForkPullRequest };
}
