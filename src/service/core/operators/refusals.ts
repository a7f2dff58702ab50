// Refusals to sign an operator in. Pure.

import type { RateRefusal } from "../limits/refusals.ts";
import type { SignInRefusal } from "../sign-in/refusals.ts";
import type { OperatorIdentity } from "./operator.ts";

export type OperatorRefusal =
  | Extract<
      SignInRefusal,
      { readonly reason: "link_over" | "attempt_over" | "passkey_refused" | "identity_refused" }
    >
  /** An identity that the settings do not name. */
  | { readonly reason: "not_an_operator"; readonly identity: OperatorIdentity }
  | RateRefusal;
