// The branch and the owner that a job's environment names, for a service that runs inside the job. Not verified.

import type { Environment } from "../base/environment.ts";
import type { JobVariables } from "./provider-definition.ts";

type JobRefs = {
  readonly ownerId: string | null;
  /** A full ref; null where the job has none. */
  readonly ref: string | null;
  /** The branch that a pull request wants to change; null for every other job. */
  readonly baseRef: string | null;
};

/** Reads the variables of a provider. Pure. */
export function readJobRefs({ owner, ref, base }: JobVariables, env: Environment): JobRefs {
  return {
    ownerId: env[owner] || null,
    ref: typeof ref === "string" ? env[ref] || null : refOf({ tag: env[ref.tag], branch: env[ref.branch] }),
    baseRef: (base === null ? null : env[base]) || null,
  };
}

function refOf({ tag, branch }: { tag: string | undefined; branch: string | undefined }): string | null {
  if (tag) return `refs/tags/${tag}`;
  return branch ? `refs/heads/${branch}` : null;
}
