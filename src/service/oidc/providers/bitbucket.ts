// Bitbucket Pipelines: its claims as a job's identity. They hold UUIDs and no commit. Pure.
// https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/

import * as z from "zod/mini";
import { fillCloneUrl } from "../../../base/clone-template.ts";
import { ok } from "../../../base/result.ts";
import { claimRefused } from "../registered-claims.ts";
import { bracedUuid, branchName, statedCommit } from "./claim-forms.ts";
import type { Provider } from "./provider.ts";

const claimsSchema = z.object({
  repositoryUuid: bracedUuid,
  workspaceUuid: bracedUuid,
  pipelineUuid: bracedUuid,
  stepUuid: bracedUuid,
  /** Left out for a tag's pipeline. */
  branchName: z.optional(branchName),
  deploymentEnvironmentUuid: z.optional(bracedUuid),
});

export const bitbucketProvider: Provider = {
  algorithm: "RS256",
  // The default time limit of a step: Bitbucket publishes no lifetime of its tokens.
  maxLifetimeMs: 7_200_000,
  audienceForm: "list",
  replayIsKnownBy: "signature",
  identify: (claims, issuer, statement) => {
    const parsed = claimsSchema.safeParse(claims);
    if (!parsed.success) return claimRefused(claims, parsed.error);
    const { data } = parsed;
    const sha = statedCommit(statement);
    if (!sha.ok) return sha;
    // A name would be unverified, and people claim an agent by its name.
    const name = `${data.workspaceUuid}/${data.repositoryUuid}`;
    return ok({
      provider: issuer.provider,
      issuer: issuer.issuer,
      repository: {
        id: data.repositoryUuid,
        ownerId: data.workspaceUuid,
        name,
        visibility: issuer.visibility ?? "private",
      },
      sha: sha.value,
      ref: data.branchName === undefined ? "" : `refs/heads/${data.branchName}`,
      event: "pipeline",
      baseRef: null,
      actorId: null,
      workflow: null,
      runId: data.pipelineUuid,
      runAttempt: data.stepUuid,
      cloneUrl: fillCloneUrl(issuer.clone_url, { repository: encodeURI(name) }),
    });
  },
};
