// GET /v1/ci/commits/{sha}: whether a commit is held, what a pack of it may build on, and how large it may be. Changes
// nothing but when it was last used.

import { ok, type Result } from "../../../base/result.ts";
import type { CommitState } from "../../../contract/ci/commits.ts";
import { findHeldCommit, offerBases, PackBlobs } from "../commits/held-commits.ts";
import type { Core } from "../core.ts";
import { type CommitRequest, findAccess } from "./commit-access.ts";
import { roomFor } from "./pack-quota.ts";
import type { CommitAccessRefusal } from "./refusals.ts";
import { useCommit } from "./use-commit.ts";

export async function findCommit(
  core: Core,
  request: CommitRequest,
): Promise<Result<CommitState, CommitAccessRefusal>> {
  const access = await findAccess(core, request);
  if (!access.ok) return access;
  const { keeping, repository } = access.value;
  const { sha } = request;
  const reader = core.store.committed;
  const blobs = new PackBlobs(keeping.blobs);
  const held = await findHeldCommit(reader, { repository, sha });
  const present = held !== null && (await blobs.hasAll(held.packs)) && (await useCommit(core, request, held));
  const bases = present ? [] : await offerBases(reader, { repository, blobs });
  return ok({
    sha,
    present,
    have: bases.map(({ tip, shallow }) => ({ sha: tip, shallow: [...shallow] })),
    max_bytes: await roomFor(core, reader, access.value),
    history: keeping.limits.history,
  });
}
