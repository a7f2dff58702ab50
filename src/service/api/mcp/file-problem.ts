// Problems of a file that was not written, for a client's model: the file, and the fix. Pure.

import { singleLine } from "../../../base/untrusted-text.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import type { WriteFilesRefusal } from "../../core/workspaces/files/refusals.ts";
import { toProblem } from "../shared/problems/to-problem.ts";

/** Of a path in a line of text. */
export const MAX_SHOWN_PATH_CHARS = 300;

export function fileProblem(refusal: WriteFilesRefusal): PublicProblem {
  const problem = toProblem(refusal);
  if (refusal.reason !== "etag_mismatch") return problem;
  const { path, current } = refusal;
  const named = singleLine(path, MAX_SHOWN_PATH_CHARS);
  const message =
    current === null
      ? `${named} is not there, so that the etag cannot be its. Nothing was written.`
      : `${named} is there, and not as you have read it: its etag is ${current}. Nothing was written. Read it again; where it is what you had read, repeat the call with that etag.`;
  return { ...problem, message, fields: { ...problem.fields, paths: [path] } };
}
