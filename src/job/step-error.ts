// An error that the user's own set-up causes, before anything is sent. Pure.

/** Why an event starts no run. */
export type DeclinedReason =
  | "no_command"
  | "help"
  | "cancel_elsewhere"
  | "not_continued"
  | "limit_wrong"
  | "action_ignored"
  | "author_unknown"
  | "actor_not_author"
  | "bot_not_allowed"
  | "permission_missing"
  | "content_edited"
  | "content_deleted"
  | "head_moved"
  | "paths_unmatched"
  | "fork_pull_request"
  | "event_refused"
  | "event_not_named"
  | "event_unreadable"
  | "code_host_refused"
  | "code_host_unavailable";

/** Why the file of `prompt-file` cannot be used. */
export type PromptFileReason =
  | "prompt_file_missing"
  | "prompt_file_refused"
  | "prompt_file_too_large"
  | "prompt_file_unreadable";

/** Every reason of a StepError. A new one needs its text in scripts/docs/reason-texts.ts. */
export type StepReason =
  | "invalid_input"
  | "invalid_settings"
  | "agent_not_installed"
  | "sandbox_not_started"
  | "sandbox_not_watched"
  | "run_id_missing"
  | "run_not_found"
  | "host_not_found"
  | "service_unavailable"
  | "id_tokens_used_up"
  | "checkout_missing"
  | "checkout_changed"
  | "checkout_failed"
  | "commit_not_found"
  | "commit_unreadable"
  | "commit_too_large"
  | "commit_not_sent"
  | PromptFileReason
  | DeclinedReason;

/** `code` is the reason that the step gives; the message names what to change. */
export class StepError extends Error {
  readonly code: StepReason;
  /** "skipped" where nothing is wrong. */
  readonly conclusion: "failure" | "skipped" = "failure";
  readonly isStepError = true;

  /** True also for an error from another bundle, which has a class of its own. */
  static is(value: unknown): value is StepError {
    return value instanceof Error && "isStepError" in value;
  }

  constructor(code: StepReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
