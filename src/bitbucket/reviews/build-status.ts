// Findings as a build status of the reviewed commit, which a merge check can ask for. One key is one status: the same again replaces it.
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses (2026-11-29)

import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { NewCheck } from "../../job/findings/reviews-host.ts";
import { statusDescription } from "../../job/findings/status-description.ts";
import { isShut, type WrittenCheck } from "../../report/findings.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";
import { BitbucketError } from "../bitbucket-error.ts";

/** Bitbucket refuses a key of more than 40 characters. */
const KEY_CHARS = 40;
const MAX_DESCRIPTION_CHARS = 255;

export type BuildStatusOptions = NewCheck & {
  readonly api: BitbucketApi;
  /** As people see it, and as one job of the repository is known by. */
  readonly name: string;
  readonly sha: string;
  /** The branch of the pull request, which the status is shown on. */
  readonly refname: string;
  readonly jobUrl: string;
};

/** Rejects with BitbucketError. Safe to repeat. */
export async function writeBuildStatus(options: BuildStatusOptions): Promise<WrittenCheck> {
  const { api, name, sha, refname, jobUrl, published, threshold } = options;
  const isFailed = isShut(published, threshold);
  const body = {
    key: createHash("sha256").update(name).digest("hex").slice(0, KEY_CHARS),
    state: isFailed ? "FAILED" : "SUCCESSFUL",
    name,
    description: statusDescription(published).slice(0, MAX_DESCRIPTION_CHARS),
    url: jobUrl,
    refname,
  };
  const write = { method: "POST", path: `/commit/${sha}/statuses/build`, body } as const;
  await api.write(write, z.unknown()).catch(async (cause: unknown) => {
    if (!(cause instanceof BitbucketError && cause.code === "code_host_unavailable")) throw cause;
    // The answer may have been lost: the same again is one status.
    await api.write(write, z.unknown());
  });
  return { url: jobUrl, conclusion: isFailed ? "failure" : "success" };
}
