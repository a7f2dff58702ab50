// Refusals to sign somebody in. What a stranger is told of it, the pages decide. Pure.

import type { RateRefusal } from "../limits/refusals.ts";

export type SignInRefusal =
  /** A link that was used, has ended, or never was. */
  | { readonly reason: "link_over" }
  /** No key of an owner that is in force. */
  | { readonly reason: "key_refused" }
  /** A key of an AI client, a job's capability or another secret that never signs a person in. */
  | { readonly reason: "key_of_another_kind" }
  /** A flow that was not begun in this browser, was finished before, or took too long. */
  | { readonly reason: "attempt_over" }
  /** A passkey that is not registered here, or whose signature is wrong. */
  | { readonly reason: "passkey_refused" }
  /** What a provider sent back is not of this request, or not as it must be. */
  | { readonly reason: "identity_refused" }
  /** An identity that no account has, where nobody opens an account by signing in. */
  | { readonly reason: "sign_up_closed" }
  /** A person who is no member of any account. */
  | { readonly reason: "no_account" }
  /** A person who is in their account by groups of a provider, and came another way. */
  | { readonly reason: "provider_needed" }
  /** None of the person's groups gives them a role. */
  | { readonly reason: "no_group_role" }
  /** The provider did not say which groups somebody is in, or not in a way that can be read. */
  | { readonly reason: "groups_unreadable" }
  | RateRefusal;

export type LinkIdentityRefusal =
  | { readonly reason: "identity_of_another" }
  | { readonly reason: "passkey_known" }
  | { readonly reason: "passkeys_reached"; readonly allowed: number };
