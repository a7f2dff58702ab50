// Errors of a call of GitLab's API. Pure.

import { StepError } from "../job/step-error.ts";

/** `code_host_unavailable`: no answer, or an unreadable one. `code_host_refused`: an answer that a retry will not change. */
export class GitLabError extends StepError {
  override readonly name = "GitLabError";
  /** Null where there was no answer. */
  readonly status: number | null;
  /** GitLab's own message, in one safe line; may be empty. */
  readonly detail: string;
  /** The token has too small a scope, whatever its role. */
  readonly lacksScope: boolean;

  constructor(fields: {
    code: "code_host_unavailable" | "code_host_refused";
    /** Method and path: "PUT /issues/7". */
    call: string;
    status?: number | null;
    detail?: string;
    lacksScope?: boolean;
    cause?: unknown;
  }) {
    const { status = null, detail = "", lacksScope = false, cause } = fields;
    const answered = status === null ? "gave no answer" : `answered ${status}`;
    const said = detail === "" ? "" : ` ${detail.replace(/\.$/, "")}.`;
    super(fields.code, `GitLab's API ${answered} to ${fields.call}.${said}`, { cause });
    this.status = status;
    this.detail = detail;
    this.lacksScope = lacksScope;
  }
}
