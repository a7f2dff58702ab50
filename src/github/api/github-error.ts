// Errors of a call of GitHub's API. Pure.

import { StepError } from "../../job/step-error.ts";

/** `code_host_unavailable`: no answer, or an unreadable one. `code_host_refused`: an answer that a retry will not change. */
export class GitHubError extends StepError {
  override readonly name = "GitHubError";
  /** Null where there was no answer. */
  readonly status: number | null;
  /** GitHub's own message, in one safe line; may be empty. */
  readonly detail: string;
  /** Permissions that would do, as GitHub names them ("issues=write; pull_requests=write"); null where it names none. */
  readonly accepted: string | null;

  constructor(fields: {
    code: "code_host_unavailable" | "code_host_refused";
    /** Method and path: "POST /issues/7/comments". */
    call: string;
    status?: number | null;
    detail?: string;
    accepted?: string | null;
    cause?: unknown;
  }) {
    const { status = null, detail = "", accepted = null, cause } = fields;
    const answered = status === null ? "gave no answer" : `answered ${status}`;
    super(fields.code, `GitHub's API ${answered} to ${fields.call}.${detail === "" ? "" : ` ${detail}`}`, {
      cause,
    });
    this.status = status;
    this.detail = detail;
    this.accepted = accepted;
  }
}
