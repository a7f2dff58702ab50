// Errors of a call of Bitbucket's API. Pure.

import { type ApiFailure, CodeHostError, failureText } from "../job/code-host/code-host-error.ts";

/** The scopes that a call takes, and those that the token has, as Bitbucket names them. */
export type ScopeLack = { readonly required: readonly string[]; readonly granted: readonly string[] };

export class BitbucketError extends CodeHostError {
  override readonly name = "BitbucketError";
  /** Null where the refusal is about something else. */
  readonly scopeLack: ScopeLack | null;

  constructor(fields: ApiFailure & { readonly scopeLack?: ScopeLack | null }) {
    const { status = null, detail = "", scopeLack = null, cause } = fields;
    super(fields.code, failureText("Bitbucket", fields), { status, detail, cause });
    this.scopeLack = scopeLack;
  }
}
