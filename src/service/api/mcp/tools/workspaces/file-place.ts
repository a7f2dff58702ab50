// Whose files a call means. Pure.

import { ok, type Result, refused } from "../../../../../base/result.ts";
import { invalidRequest, type PublicProblem } from "../../../../core/ports/problem.ts";
import type { Place } from "../../../../core/workspaces/files/reach-files.ts";

/** Neither: the accepted files. */
export function placeOf({
  copy_id: copyId,
  revision_id: revisionId,
}: {
  readonly copy_id?: string | undefined;
  readonly revision_id?: string | undefined;
}): Result<Place, PublicProblem> {
  if (copyId !== undefined && revisionId !== undefined)
    return refused(invalidRequest('Give "copy_id" or "revision_id", not both.'));
  if (copyId !== undefined) return ok({ kind: "copy", copyId });
  return ok(revisionId === undefined ? { kind: "canonical" } : { kind: "revision", revisionId });
}
