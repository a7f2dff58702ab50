// Errors of a call of GitLab's API. Pure.

import { type ApiFailure, CodeHostError, failureText } from "../job/code-host/code-host-error.ts";

export class GitLabError extends CodeHostError {
  override readonly name = "GitLabError";
  /** The token has too small a scope, whatever its role. */
  readonly lacksScope: boolean;

  constructor(fields: ApiFailure & { readonly lacksScope?: boolean }) {
    const { status = null, detail = "", lacksScope = false, cause } = fields;
    super(fields.code, failureText("GitLab", fields), { status, detail, cause });
    this.lacksScope = lacksScope;
  }
}
