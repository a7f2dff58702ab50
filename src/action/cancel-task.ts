// The runs that a step is to cancel: the one in "run-id", or those in flight of the event's issue or pull request. Pure.

import type { RequestSubject } from "../github/trigger/agent-request.ts";
import { Declined } from "../github/trigger/declined.ts";
import { faultOf } from "../job/fault.ts";
import type { Task } from "../job/job-types.ts";
import { StepError } from "../job/step-error.ts";
import type { Inputs } from "./inputs.ts";
import { subjectKey } from "./run-request.ts";

/** A task of type "none" where this step can cancel nothing. */
export function cancelTask({ service, runId }: Inputs, subject: RequestSubject | null): Task {
  if (service.type === "embedded") return refused(cancelledElsewhere());
  if (runId !== null) return { type: "cancel", target: { type: "run", runId } };
  if (subject === null) return refused(runIdMissing());
  return { type: "cancel", target: { type: "session", sessionKey: subjectKey(subject.number) } };
}

function refused(error: StepError): Task {
  return { type: "none", outcome: { type: "fault", fault: faultOf(error) } };
}

function cancelledElsewhere(): StepError {
  return new Declined(
    "cancel_elsewhere",
    "Nothing was cancelled: a run ends with the workflow run that started it. Cancel that one on the Actions page.",
  );
}

function runIdMissing(): StepError {
  return new StepError(
    "run_id_missing",
    'Input "mode: cancel" needs "run-id" here: this event is about no issue and no pull request.',
  );
}
