// The approval of a changeset: it is accepted. What accepts it is loaded for that.

import { refused } from "../../../../base/result.ts";
import type { Approvable } from "../../approvals/approvable.ts";
import type { ReviewRefusal } from "./reviews.ts";

declare module "../../approvals/approvable.ts" {
  interface ActRefusals {
    accept_changeset: ReviewRefusal;
  }
}

export const changesetApproval: Approvable<"accept_changeset"> = {
  approve: async (core, { caller, action, alongside }) => {
    if (core.workspaces === null) {
      return refused({ reason: "workspace_not_found", workspaceId: action.workspaceId });
    }
    const { acceptReviewed } = await core.workspaces.reviews();
    return await acceptReviewed({
      accountId: caller.accountId,
      action,
      // Git merges before the transaction.
      alongside: (tx) => alongside(tx, { runId: null }),
    });
  },
};
