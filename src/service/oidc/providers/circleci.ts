// CircleCI: its claims as a job's identity. They name no commit, and the repository only by its address. Pure.
// https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/

import * as z from "zod/mini";
import { fillCloneUrl } from "../../../base/clone-template.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { ExchangeRefusal } from "../../core/ci/refusals.ts";
import type { IssuerConfig } from "../issuer-config.ts";
import { claimRefused, show } from "../registered-claims.ts";
import { matching, REF_CHARS, statedCommit, uuid } from "./claim-forms.ts";
import type { Provider } from "./provider.ts";

const CLAIM = "oidc.circleci.com/";
const SEGMENT = "[A-Za-z0-9_.~-]{1,100}";

const claimsSchema = z.object({
  [`${CLAIM}project-id`]: uuid,
  [`${CLAIM}org-id`]: z.optional(uuid),
  [`${CLAIM}workflow-id`]: uuid,
  [`${CLAIM}job-id`]: uuid,
  [`${CLAIM}ssh-rerun`]: z.boolean("must be true or false"),
  /** Left out for a pipeline that a custom webhook triggered: there is nothing to clone then. */
  [`${CLAIM}vcs-origin`]: matching(
    new RegExp(String.raw`^(?!.*\.\.)(?!.*\/\.\/)[a-z0-9.-]{1,253}(?:\/${SEGMENT}){2,20}$`),
    "must be host/owner/name",
  ),
  [`${CLAIM}vcs-ref`]: z.optional(matching(new RegExp(`^refs/${REF_CHARS}$`, "u"), "must be a full ref")),
});
type Claims = {
  readonly projectId: string;
  readonly orgId: string | undefined;
  readonly workflowId: string;
  readonly jobId: string;
  readonly isSshRerun: boolean;
  readonly origin: string;
  readonly ref: string;
};

export const circleciProvider: Provider = {
  algorithm: "RS256",
  maxLifetimeMs: 3_600_000,
  audienceForm: "text",
  replayIsKnownBy: "signature",
  identify: (claims, issuer, statement) => {
    const parsed = claimsSchema.safeParse(claims);
    if (!parsed.success) return claimRefused(claims, parsed.error);
    const data = named(parsed.data);
    const untouched = checkUntouched(data);
    if (!untouched.ok) return untouched;
    const ownerId = organizationOf(data, issuer);
    if (!ownerId.ok) return ownerId;
    const name = repositoryOf(data, issuer);
    if (!name.ok) return name;
    const sha = statedCommit(statement);
    if (!sha.ok) return sha;
    return ok({
      provider: issuer.provider,
      issuer: issuer.issuer,
      repository: {
        id: data.projectId,
        ownerId: ownerId.value,
        name: name.value,
        visibility: issuer.visibility ?? "private",
      },
      sha: sha.value,
      ref: data.ref,
      // No claim says what triggered the job. A fork's pull request is known by its ref.
      event: /(^|\/)pull\/\d+(\/|$)/.test(data.ref) ? "pull_request" : "pipeline",
      baseRef: null,
      actorId: null,
      workflow: null,
      runId: data.workflowId,
      runAttempt: data.jobId,
      cloneUrl: fillCloneUrl(issuer.clone_url, { repository: name.value }),
    });
  },
};

function named(claims: z.infer<typeof claimsSchema>): Claims {
  return {
    projectId: claims[`${CLAIM}project-id`],
    orgId: claims[`${CLAIM}org-id`],
    workflowId: claims[`${CLAIM}workflow-id`],
    jobId: claims[`${CLAIM}job-id`],
    isSshRerun: claims[`${CLAIM}ssh-rerun`],
    origin: claims[`${CLAIM}vcs-origin`],
    ref: claims[`${CLAIM}vcs-ref`] ?? "",
  };
}

/** In a job that was re-run with SSH somebody has a shell: it may do anything, whatever the repository's files say. */
function checkUntouched({ isSshRerun }: Claims): Result<void, ExchangeRefusal> {
  if (!isSshRerun) return ok(undefined);
  return refused({
    reason: "event_refused",
    detail:
      "A job that was re-run with SSH is refused: somebody may steer it by hand. Re-run it without SSH.",
    expected: `${CLAIM}ssh-rerun false`,
    got: "true",
  });
}

/** The organization of the issuer's address and that of the claim must be one, where both are there. */
function organizationOf({ orgId }: Claims, { issuer }: IssuerConfig): Result<string, ExchangeRefusal> {
  const [, ofIssuer] = /\/org\/([0-9a-f-]{36})$/.exec(issuer) ?? [];
  const id = orgId ?? ofIssuer;
  if (id !== undefined && (ofIssuer === undefined || id === ofIssuer)) return ok(id);
  return refused({
    reason: "claim_missing",
    detail: `The token's claim "${CLAIM}org-id" must be the organization of its issuer.`,
    expected: ofIssuer ?? "a UUID",
    got: show(orgId),
  });
}

/** The path of the origin, which must be on the host that the issuer's repositories are cloned from. */
function repositoryOf({ origin }: Claims, { clone_url }: IssuerConfig): Result<string, ExchangeRefusal> {
  const host = URL.parse(clone_url)?.host ?? "";
  const slash = origin.indexOf("/");
  if (origin.slice(0, slash) === host) return ok(origin.slice(slash + 1).replace(/\.git$/, ""));
  return refused({
    reason: "claim_missing",
    detail: `The token's repository is not on ${host}, where this issuer's are cloned from. The service's operator sets that in CI_ISSUERS.`,
    expected: `${host}/owner/name`,
    got: show(origin),
  });
}
