// The headers of an answer that gives a submitted run, new or made before.

import type { Submitted } from "../../core/runs/submission.ts";
import type { AnyAnswer } from "./handler.ts";

export function submittedHeaders({
  runId,
  sessionId,
}: Pick<Submitted, "runId" | "sessionId">): AnyAnswer["headers"] & object {
  return {
    "X-Svc-Run-Id": runId,
    "X-Svc-Session-Id": sessionId,
  };
}
