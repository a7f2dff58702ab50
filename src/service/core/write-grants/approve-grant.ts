// The approval of a write grant.

import { ok } from "../../../base/result.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { type Approvable, inTransaction } from "../approvals/approvable.ts";
import { grantWithin } from "./grant-within.ts";

declare module "../approvals/approvable.ts" {
  interface ActRefusals {
    grant_writes: AgentRefusal;
  }
}

export const grantApproval: Approvable<"grant_writes"> = {
  approve: inTransaction(async (core, tx, { agentId, action: { server } }) => {
    await grantWithin(core, tx, { agentId, server });
    return ok(null);
  }),
};
