// If-Match (RFC 9110 §13.1.1): a change that builds on a version which no longer holds is refused. Pure.

import type { PublicProblem } from "../../../core/ports/problem.ts";

/** The tags that a header names, without quotes; "any" for `*`; null without the header. */
export type IfMatch = readonly string[] | "any" | null;

/** Reads `"1234"`, `1234`, `*` and lists of them. A weak tag matches nothing. */
export function readIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) return null;
  if (header.trim() === "*") return "any";
  return header
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "" && !tag.startsWith("W/"))
    .map((tag) => tag.replace(/^"(.*)"$/, "$1"));
}

/** The problem of a change to what has `etag` now, null where nothing is there; null when the change may go on. */
export function preconditionProblem(ifMatch: IfMatch, etag: string | null): PublicProblem | null {
  if (ifMatch === null) return null;
  if (etag !== null && (ifMatch === "any" || ifMatch.includes(etag))) return null;
  return {
    status: 412,
    code: "precondition_failed",
    message: "etag mismatch",
    ...(etag === null ? {} : { headers: { ETag: `"${etag}"` }, fields: { current_etag: etag } }),
  };
}
