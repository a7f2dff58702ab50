// What a user's own set-up makes a step fail with, before anything is sent. Pure.

/** `code` is the reason that the step gives; the message names what to change. */
export class StepError extends Error {
  readonly code: string;
  /** "skipped" where nothing is wrong: it is how it should be. */
  readonly conclusion: "failure" | "skipped" = "failure";

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
