// GitLab CI: its claims as a job's identity, on gitlab.com and on any instance. Pure.
// https://docs.gitlab.com/ci/secrets/id_token_authentication

import * as z from "zod/mini";
import { fillCloneUrl } from "../../../base/clone-template.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { type Visibility, visibilities } from "../../../contract/ci/exchange.ts";
import type { ExchangeRefusal } from "../../core/ci/refusals.ts";
import { claimRefused, show } from "../registered-claims.ts";
import { commit, matching, numericId, ownWorkflow, REF_CHARS, whereWellFormed } from "./claim-forms.ts";
import type { Provider } from "./provider.ts";

const SEGMENT = String.raw`\.?[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}`;

const claimsSchema = z.object({
  project_id: numericId,
  namespace_id: numericId,
  project_path: matching(
    new RegExp(String.raw`^(?!.*\.\.)(?!.{1001})${SEGMENT}(?:\/${SEGMENT}){1,20}$`),
    "must be group/project",
  ),
  /** Since GitLab 16; without it a project counts as private. */
  project_visibility: z.optional(z.enum(visibilities, `must be one of: ${visibilities.join(", ")}`)),
  /** The project in which the job runs, since 18.4. A fork's merge request runs in a project that is not its own. */
  job_project_id: z.optional(numericId),
  sha: commit,
  ref_path: matching(new RegExp(`^refs/${REF_CHARS}$`, "u"), "must be a full ref"),
  pipeline_source: matching(/^[a-z_]{1,64}$/, "must be the source of a pipeline"),
  pipeline_id: numericId,
  job_id: numericId,
  user_id: z.optional(z.unknown()),
  /** Null where the project takes its pipeline from elsewhere. */
  ci_config_ref_uri: z.optional(z.unknown()),
});
type Claims = z.infer<typeof claimsSchema>;

/** Sources that are a pull request under another name: everything behind the verifier knows it by one. */
const mergeRequestSources = ["merge_request_event", "external_pull_request_event"];

export const gitlabProvider: Provider = {
  algorithm: "RS256",
  // A token lives as long as its job may run: at most three hours on GitLab's own runners, one by default.
  maxLifetimeMs: 10_800_000,
  audienceForm: "text",
  replayIsKnownBy: "jti",
  identify: (claims, issuer) => {
    const parsed = claimsSchema.safeParse(claims);
    if (!parsed.success) return claimRefused(claims, parsed.error);
    const { data } = parsed;
    const own = checkOwnProject(data);
    if (!own.ok) return own;
    const isMergeRequest = mergeRequestSources.includes(data.pipeline_source);
    return ok({
      provider: issuer.provider,
      issuer: issuer.issuer,
      repository: {
        id: data.project_id,
        ownerId: data.namespace_id,
        name: data.project_path,
        visibility: visibilityOf(data),
      },
      sha: data.sha,
      ref: data.ref_path,
      event: isMergeRequest ? "pull_request" : data.pipeline_source,
      baseRef: null,
      actorId: whereWellFormed(numericId, data.user_id),
      workflow: ownWorkflow(
        data.ci_config_ref_uri,
        `${URL.parse(issuer.issuer)?.host}/${data.project_path}//`,
      ),
      runId: data.pipeline_id,
      runAttempt: data.job_id,
      cloneUrl: fillCloneUrl(issuer.clone_url, { repository: data.project_path }),
    });
  },
};

/**
 * Refuses a fork's merge request that runs in the project which it wants to change. Which of the two `project_id` names
 * has changed between versions, so one that does not say where the job runs is refused for every merge request.
 */
function checkOwnProject(claims: Claims): Result<void, ExchangeRefusal> {
  const { project_id, job_project_id, pipeline_source } = claims;
  const mayBeForks = job_project_id === undefined && mergeRequestSources.includes(pipeline_source);
  if (!mayBeForks && (job_project_id ?? project_id) === project_id) return ok(undefined);
  return refused({
    reason: "event_refused",
    detail: mayBeForks
      ? "This GitLab does not say whether a merge request is a fork's. Use a branch's or a schedule's pipeline, or GitLab 18.4 or newer."
      : "Merge requests of forks are refused: an outsider's change could steer the job. Have a member run it from a branch of this project.",
    expected: `job_project_id ${project_id}`,
    got: show(job_project_id),
  });
}

/** Internal projects are visible to every account of the instance, which is not public. */
function visibilityOf({ project_visibility = "private" }: Claims): Visibility {
  return project_visibility === "public" ? "public" : "private";
}
