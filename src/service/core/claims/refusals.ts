/** The first three mean that the link cannot be used by its holder. */
export type ClaimRefusal =
  | { readonly reason: "claim_unknown" | "claim_ended" | "claim_used" }
  | { readonly reason: "claimed_by_another"; readonly repository: string };
