// Errors of a call of GitHub's API. Pure.

import { CodeHostError } from "../../job/code-host/code-host-error.ts";

export class GitHubError extends CodeHostError {
  override readonly name = "GitHubError";
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
      status,
      detail,
      cause,
    });
    this.accepted = accepted;
  }
}
