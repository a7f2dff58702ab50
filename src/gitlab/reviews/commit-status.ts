// Findings as a status of the pipeline's commit, which keeps a merge request from being merged where pipelines must succeed.
// https://docs.gitlab.com/api/commits/#set-commit-pipeline-status (2026-11-29)

import * as z from "zod/mini";
import type { Clock } from "../../base/clock.ts";
import type { NewCheck } from "../../job/findings/reviews-host.ts";
import { statusDescription } from "../../job/findings/status-description.ts";
import { isShut, type WrittenCheck } from "../../report/findings.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { GitLabError } from "../gitlab-error.ts";

const MAX_DESCRIPTION_CHARS = 255;
/** Another job sets a status of the same pipeline at this moment: 409. */
const CONFLICT_WAITS_MS = [500, 2_000, 5_000];

const statusSchema = z.object({
  status: z.string(),
  name: z.optional(z.nullable(z.string())),
  target_url: z.optional(z.nullable(z.string())),
});

export type CommitStatusOptions = NewCheck & {
  readonly api: GitLabApi;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The name in the pipeline. */
  readonly name: string;
  /** The commit that the pipeline is of: of one for merged results the merge. */
  readonly sha: string;
  /** The pipeline that it becomes a part of. */
  readonly pipelineId: string;
  readonly jobUrl: string;
};

/** Rejects with GitLabError. Safe to repeat: the same status again changes nothing. */
export async function writeCommitStatus(options: CommitStatusOptions): Promise<WrittenCheck> {
  const { api, clock, signal, name, sha, pipelineId, jobUrl, published, threshold } = options;
  const state = isShut(published, threshold) ? "failed" : "success";
  const body = {
    state,
    name,
    description: statusDescription(published).slice(0, MAX_DESCRIPTION_CHARS),
    target_url: jobUrl,
    ...(/^\d+$/.test(pipelineId) ? { pipeline_id: Number(pipelineId) } : {}),
  };
  const check: WrittenCheck = { url: jobUrl, conclusion: state === "failed" ? "failure" : "success" };
  for (const waitMs of [...CONFLICT_WAITS_MS, null]) {
    try {
      await api.write({ method: "POST", path: `/statuses/${sha}`, body }, statusSchema);
      return check;
    } catch (cause) {
      if (!(cause instanceof GitLabError)) throw cause;
      // An older GitLab refuses the state that is there, and an answer may have been lost.
      const mayBeThere = cause.code === "code_host_unavailable" || /transition/i.test(cause.detail);
      if (mayBeThere && (await isThere(options, state))) return check;
      if (cause.status !== 409 || waitMs === null) throw cause;
      await clock.sleep(waitMs, signal);
    }
  }
  return check;
}

async function isThere({ api, sha, name }: CommitStatusOptions, state: string): Promise<boolean> {
  const path = `/repository/commits/${sha}/statuses?name=${encodeURIComponent(name)}`;
  for await (const one of api.items(path, statusSchema, 1))
    if (one.name === name) return one.status === state;
  return false;
}
