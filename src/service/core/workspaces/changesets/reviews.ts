// Reviews of changesets, as approvals know them. Types alone: what does it is loaded when it is needed.

import type { Result } from "../../../../base/result.ts";
import type { ApprovalAction } from "../../approvals/approval.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { DecideRefusal, ResolutionRefusal } from "./refusals.ts";

declare module "../workspace-keeping.ts" {
  interface WorkspaceKeeping {
    /** The reviews that accept a changeset which the owner has approved. Loaded when it is needed. */
    reviews(): Promise<Reviews>;
  }
}

export type ReviewAction = Extract<ApprovalAction, { readonly kind: "accept_changeset" }>;
export type ReviewRefusal = DecideRefusal | ResolutionRefusal;

/** Part of the transaction that accepts. */
export type Alongside = (tx: StoreTransaction) => Promise<void>;

export type Reviewed = {
  /** Whose owner has approved it. */
  readonly accountId: string;
  readonly action: ReviewAction;
  readonly alongside: Alongside;
};

export type Reviews = {
  /** Accepts the very changeset on the very revision that was shown. */
  acceptReviewed(reviewed: Reviewed): Promise<Result<null, ReviewRefusal>>;
};
