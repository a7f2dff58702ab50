// The hidden line by which a step finds its own comment again. Pure.

import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import { markerOf } from "../../job/status-comment/marker.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

type MarkerOptions = {
  readonly subject: RequestSubject;
  readonly job: CiJob;
  readonly env: Environment;
  /** The job's matrix leg: legs share all other names. */
  readonly matrix: string;
};

/**
 * One comment for each request, so that the answer stands under it. Without a request, one for the step on its issue or
 * pull request, so that a push does not add another. A re-run job gets the same marker.
 */
export function commentMarker({ subject, job, env, matrix }: MarkerOptions): string {
  const workflow = (env.GITHUB_WORKFLOW_REF ?? env.GITHUB_WORKFLOW ?? "").split("@")[0] ?? "";
  const place = [
    job.repository.id,
    workflow,
    job.job,
    job.step,
    matrix,
    subject.number,
    subject.comment === null ? null : [subject.comment.type, subject.comment.id],
  ];
  return markerOf(place);
}
