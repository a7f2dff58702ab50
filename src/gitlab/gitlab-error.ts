// Errors of a call of GitLab's API. Pure.

import { CodeHostError } from "../job/code-host/code-host-error.ts";

export class GitLabError extends CodeHostError {
  override readonly name = "GitLabError";
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
    super(fields.code, `GitLab's API ${answered} to ${fields.call}.${said}`, { status, detail, cause });
    this.lacksScope = lacksScope;
  }
}
