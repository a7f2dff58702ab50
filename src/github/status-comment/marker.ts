// The hidden line by which a step finds its own comment again. Pure.

import { createHash } from "node:crypto";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { Talk } from "../trigger/agent-request.ts";

export type MarkerOptions = {
  readonly talk: Talk;
  readonly job: CiJob;
  readonly env: Environment;
  /** The job's leg: they share all other names. */
  readonly matrix: string;
};

/**
 * One comment for each request, so that an answer stands under its question; where nobody asked, one for the step on its
 * issue or pull request, so that a push does not add another. The job that runs again has the same.
 */
export function commentMarker({ talk, job, env, matrix }: MarkerOptions): string {
  const workflow = (env.GITHUB_WORKFLOW_REF ?? env.GITHUB_WORKFLOW ?? "").split("@")[0] ?? "";
  const place = [
    job.repository.id,
    workflow,
    job.job,
    job.step,
    matrix,
    talk.thread.number,
    talk.remark === null ? null : [talk.remark.type, talk.remark.id],
  ];
  const hash = createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 32);
  return `<!-- agent-service:comment ${hash} -->`;
}
