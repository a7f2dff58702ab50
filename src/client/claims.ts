// The account's side of a claim.

import type { ClaimResponse } from "../contract/claims/claim.ts";
import type { CallOptions } from "./ci.ts";
import { type Connection, requestValue } from "./request.ts";

export type ClaimClient = {
  /** POST /v1/ci/claim, by an account's owner: `claim` is the last part of a claim URL. Safe to repeat. */
  claim(options: CallOptions & { readonly claim: string }): Promise<ClaimResponse>;
};

export function claimClient(connection: Connection): ClaimClient {
  return {
    claim: ({ claim, signal }) =>
      requestValue(connection, {
        method: "POST",
        path: "/v1/ci/claim",
        body: { claim },
        decoder: async () => (await import("../contract/claims/claim.ts")).claimResponseSchema,
        signal,
      }),
  };
}
