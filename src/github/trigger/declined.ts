// Why an event starts no run. Pure.

import { StepError } from "../../job/step-error.ts";

export type DeclinedReason =
  | "no_command"
  | "help"
  | "cancel_elsewhere"
  | "action_ignored"
  | "author_unknown"
  | "actor_not_author"
  | "bot_not_allowed"
  | "permission_missing"
  | "content_edited"
  | "content_deleted"
  | "head_moved"
  | "fork_pull_request"
  | "event_refused"
  | "event_unreadable"
  | "code_host_refused"
  | "code_host_unavailable";

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
