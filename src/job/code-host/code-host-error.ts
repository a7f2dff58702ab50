// Errors of a call of a code host's API: what is the same at GitHub, GitLab and Bitbucket. Pure.

import { StepError } from "../step-error.ts";

type FailureCode = "code_host_unavailable" | "code_host_refused";

/** A call that failed. */
export type ApiFailure = {
  readonly code: FailureCode;
  /** Method and path: "PUT /issues/7". */
  readonly call: string;
  readonly status?: number | null;
  /** The code host's own message, in one safe line. */
  readonly detail?: string;
  readonly cause?: unknown;
};

/** `code_host_unavailable`: no answer, or an unreadable one. `code_host_refused`: an answer that a retry will not change. */
export class CodeHostError extends StepError {
  /** Null where there was no answer. */
  readonly status: number | null;
  /** The code host's own message, in one safe line; may be empty. */
  readonly detail: string;

  constructor(
    code: FailureCode,
    message: string,
    fields: { readonly status: number | null; readonly detail: string; readonly cause: unknown },
  ) {
    const { status, detail, cause } = fields;
    super(code, message, { cause });
    this.status = status;
    this.detail = detail;
  }

  /** The token is not valid, or may not do that: code hosts hide with a 404 what they do not show. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

/** "GitLab's API answered 403 to PUT /issues/7. Forbidden." */
export function failureText(
  title: string,
  { call, status = null, detail = "" }: Omit<ApiFailure, "code">,
): string {
  const answered = status === null ? "gave no answer" : `answered ${status}`;
  const said = detail === "" ? "" : ` ${detail.replace(/\.$/, "")}.`;
  return `${title}'s API ${answered} to ${call}.${said}`;
}
