// Reasons why an event starts no run. Pure.

import { type DeclinedReason, StepError } from "../../job/step-error.ts";

/** For these the step fails: somebody has to fix something. For the others it is skipped. */
const FAULTS: ReadonlySet<DeclinedReason> = new Set([
  "event_refused",
  "event_unreadable",
  "code_host_refused",
  "code_host_unavailable",
]);

/** The event starts no run. `code` is the step's reason; the message is shown to the author of the event. */
export class Declined extends StepError {
  override readonly conclusion: "skipped" | "failure";

  constructor(code: DeclinedReason, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.conclusion = FAULTS.has(code) ? "failure" : "skipped";
  }
}
