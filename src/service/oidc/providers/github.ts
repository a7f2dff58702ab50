// GitHub Actions: its claims as a job's identity. Pure.
// https://docs.github.com/en/actions/reference/security/oidc

import * as z from "zod/mini";
import { fillCloneUrl } from "../../../base/clone-template.ts";
import { ok } from "../../../base/result.ts";
import { visibilities } from "../../../contract/ci/exchange.ts";
import { claimRefused } from "../registered-claims.ts";
import { commit, matching, numericId, ownWorkflow, REF_CHARS, whereWellFormed } from "./claim-forms.ts";
import type { Provider } from "./provider.ts";

const claimsSchema = z.object({
  repository_id: numericId,
  repository_owner_id: numericId,
  repository: matching(
    /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}$/,
    "must be owner/name",
  ),
  repository_visibility: z.enum(visibilities, `must be one of: ${visibilities.join(", ")}`),
  /** For a pull request this is the merge commit, not the head. */
  sha: commit,
  /** Empty for a deployment of a bare commit. */
  ref: matching(new RegExp(`^(refs/${REF_CHARS})?$`, "u"), "must be a full ref"),
  base_ref: z.optional(matching(new RegExp(`^(${REF_CHARS})?$`, "u"), "must be the name of a branch")),
  event_name: matching(/^[a-z_]{1,64}$/, "must be the name of an event"),
  run_id: numericId,
  run_attempt: numericId,
  /** Who started the workflow run; a re-run keeps the first. */
  actor_id: z.optional(z.unknown()),
  /** The file that the event started. `job_workflow_ref` would be one that it calls, with whatever it likes to say. */
  workflow_ref: z.optional(z.unknown()),
});

export const githubProvider: Provider = {
  algorithm: "RS256",
  // GitHub's tokens live five minutes; its Enterprise Server is given room.
  maxLifetimeMs: 3_600_000,
  audienceForm: "text",
  replayIsKnownBy: "jti",
  identify: (claims, issuer) => {
    const parsed = claimsSchema.safeParse(claims);
    if (!parsed.success) return claimRefused(claims, parsed.error);
    const { data } = parsed;
    return ok({
      provider: issuer.provider,
      issuer: issuer.issuer,
      repository: {
        id: data.repository_id,
        ownerId: data.repository_owner_id,
        name: data.repository,
        visibility: data.repository_visibility,
      },
      sha: data.sha,
      ref: data.ref,
      event: data.event_name,
      baseRef: data.base_ref || null,
      actorId: whereWellFormed(numericId, data.actor_id),
      workflow: ownWorkflow(data.workflow_ref, `${data.repository}/`),
      runId: data.run_id,
      runAttempt: data.run_attempt,
      cloneUrl: fillCloneUrl(issuer.clone_url, data),
    });
  },
};
