// Buildkite: its claims as a job's identity. They name the pipeline, not the repository. Pure.
// https://buildkite.com/docs/agent/cli/reference/oidc

import * as z from "zod/mini";
import { fillCloneUrl } from "../../../base/clone-template.ts";
import { ok } from "../../../base/result.ts";
import { claimRefused } from "../registered-claims.ts";
import { branchName, matching, statedCommit, UUID, uuid } from "./claim-forms.ts";
import type { Provider } from "./provider.ts";

const slug = matching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, "must be a slug");

const claimsSchema = z.object({
  /** Only in tokens that were requested with it. */
  organization_id: uuidOf("organization_id"),
  pipeline_id: uuidOf("pipeline_id"),
  organization_slug: slug,
  pipeline_slug: slug,
  build_number: z.int("must be a number").check(z.positive("must be a positive number")),
  /** A fork's branch is `owner:branch`, where the pipeline is set so. */
  build_branch: z.string("must be text").check(z.maxLength(1000, "must have at most 1000 characters")),
  build_tag: z.optional(z.nullable(branchName)),
  /** `HEAD` for a build of whatever the branch had when it began. */
  build_commit: matching(
    /^(HEAD|[0-9a-f]{40}([0-9a-f]{24})?)$/,
    "must be HEAD, or 40 or 64 hexadecimal digits",
  ),
  /** "schedule", "webhook", "ui", "api", "trigger_job" */
  build_source: z.optional(matching(/^[a-z_]{1,64}$/, "must be the source of a build")),
  job_id: uuid,
});
type Claims = z.infer<typeof claimsSchema>;

export const buildkiteProvider: Provider = {
  algorithm: "RS256",
  // Five minutes, unless the job requests more.
  maxLifetimeMs: 3_600_000,
  audienceForm: "text",
  replayIsKnownBy: "signature",
  identify: (claims, issuer, statement) => {
    const parsed = claimsSchema.safeParse(claims);
    if (!parsed.success) return claimRefused(claims, parsed.error);
    const { data } = parsed;
    const sha = data.build_commit === "HEAD" ? statedCommit(statement) : ok(data.build_commit);
    if (!sha.ok) return sha;
    const repository = `${data.organization_slug}/${data.pipeline_slug}`;
    return ok({
      provider: issuer.provider,
      issuer: issuer.issuer,
      repository: {
        id: data.pipeline_id,
        ownerId: data.organization_id,
        name: repository,
        visibility: issuer.visibility ?? "private",
      },
      sha: sha.value,
      ref: refOf(data),
      event: isForks(data) ? "pull_request" : (data.build_source ?? "build"),
      baseRef: null,
      actorId: null,
      workflow: null,
      runId: String(data.build_number),
      runAttempt: data.job_id,
      cloneUrl: fillCloneUrl(issuer.clone_url, { repository, pipeline: data.pipeline_slug }),
    });
  },
};

/** No branch of the repository has a colon. */
function isForks({ build_branch }: Claims): boolean {
  return build_branch.includes(":");
}

/** Empty where the build is of no branch or tag that git could have. */
function refOf({ build_branch, build_tag }: Claims): string {
  if (typeof build_tag === "string") return `refs/tags/${build_tag}`;
  return branchName.safeParse(build_branch).success ? `refs/heads/${build_branch}` : "";
}

function uuidOf(name: string) {
  return matching(UUID, `must be a UUID: request it with "--claim ${name}"`);
}
