// One movement of money between two accounts of the ledger. Amounts are micro-USD. Pure.

export const postingKinds = ["grant", "hold", "charge", "release", "refund"] as const;
export type PostingKind = (typeof postingKinds)[number];

/** Moves `microUsd` (> 0) from one account to another. Never changed, never deleted. */
export type Posting = {
  readonly id: string;
  readonly at: number;
  readonly kind: PostingKind;
  readonly from: string;
  readonly to: string;
  readonly microUsd: number;
  readonly runId: string | null;
};

/** Credits of a billing account that are kept back for a run. */
export type Hold = {
  readonly id: string;
  readonly at: number;
  readonly billingAccount: string;
  readonly runId: string;
  readonly microUsd: number;
};
