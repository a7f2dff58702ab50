// The limits that a comment raises which continues a run; or why the step cannot continue one for it. Pure.

import { ok, type Result, refused } from "../base/result.ts";
import type { RequestSubject } from "../github/trigger/agent-request.ts";
import { readContinuation } from "../github/trigger/continuation.ts";
import { Declined } from "../github/trigger/declined.ts";
import type { RaisableLimit } from "../job/job-types.ts";
import type { Inputs } from "./inputs.ts";

/** A limit of a comment replaces the workflow's own, so only somebody with write access names one. */
export function continuationOf(
  { service, session }: Pick<Inputs, "service" | "session">,
  subject: RequestSubject | null,
): Result<readonly RaisableLimit[], Declined> {
  if (service.type === "embedded" || session.type === "new") {
    const why =
      service.type === "embedded"
        ? "a run ends with the workflow run that started it"
        : 'each run of this workflow begins a new session ("session: new")';
    return declined("not_continued", `${why}. Ask again, and say all of it.`);
  }
  const read = readContinuation(subject?.command?.request ?? "");
  if (!read.ok) return declined("limit_wrong", read.refusal);
  const raises: readonly RaisableLimit[] = [
    ...(read.value.maxCostMicroUsd === null ? [] : (["max_cost"] as const)),
    ...(read.value.maxTurnTokens === null ? [] : (["max_tokens"] as const)),
  ];
  if (raises.length === 0 || subject?.mayRaise === true) return ok(raises);
  return declined("permission_missing", "only somebody with write access to the repository may set a limit.");
}

function declined(
  reason: "not_continued" | "limit_wrong" | "permission_missing",
  why: string,
): Result<never, Declined> {
  return refused(new Declined(reason, `Nothing was continued: ${why}`));
}
