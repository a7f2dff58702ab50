// Accepts a changeset that the owner has approved, as it was shown.

import { ok, type Result } from "../../../../base/result.ts";
import { accountItself } from "../../accounts/caller.ts";
import type { Core } from "../../core.ts";
import { accept } from "./accept-changeset.ts";
import { resolve } from "./resolve-changeset.ts";
import type { Reviewed, ReviewRefusal, Reviews } from "./reviews.ts";

export function reviewsOf(core: Core): Reviews {
  return { acceptReviewed: (reviewed) => acceptReviewed(core, reviewed) };
}

/** Git has a time limit of its own: the owner's page may go away meanwhile. */
const NOBODY_LEAVES = new AbortController().signal;

async function acceptReviewed(
  core: Core,
  { accountId, action, alongside }: Reviewed,
): Promise<Result<null, ReviewRefusal>> {
  const { workspaceId, changesetId, expectedRevisionId, evidence, resolvedRevisionId } = action;
  const deciding = {
    caller: accountItself(accountId, "owner"),
    workspaceId,
    changesetId,
    expectedRevisionId,
    evidence,
    alongside,
    key: null,
    asked: null,
    signal: NOBODY_LEAVES,
  };
  const decided =
    resolvedRevisionId === null
      ? await accept(core, deciding)
      : await resolve(core, { ...deciding, settled: { revisionId: resolvedRevisionId } });
  return decided.ok ? ok(null) : decided;
}
