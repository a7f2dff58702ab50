// The delivery of a run that was just asked for. Pure.

import type { RunDelivery } from "./run-record.ts";
import type { AdmissionRequest } from "./submission.ts";

/** Null unless a job says that it will report. */
export function expectedDelivery({
  caller,
  body,
}: Pick<AdmissionRequest, "caller" | "body">): RunDelivery | null {
  return caller.kind === "ci_job" && body.delivers === true ? { state: "expected" } : null;
}
