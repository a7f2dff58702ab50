// get_credits: the account's balance and plan.

import { ok } from "../../../../base/result.ts";
import { getCreditsTool } from "../../../../contract/mcp/account-tools.ts";
import { readCredits } from "../../../core/accounts/read-credits.ts";
import { answer, defineTool } from "../tool.ts";

export const getCredits = defineTool({
  name: "get_credits",
  title: "Read the credits",
  description: "The account's balance, in credits, and its plan.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: getCreditsTool,
  run: async (_args, { core, caller }) => {
    const credits = await readCredits(core, { caller, userId: caller.accountId });
    if (!credits.ok) return credits;
    const { balance, low_credit_threshold, peg_cents, active_plan, audience } = credits.value;
    const low = balance <= low_credit_threshold ? ", which is low" : "";
    const shown = { balance, low_credit_threshold, peg_cents, active_plan, audience };
    return ok(answer(shown, `The account has ${balance} credits${low}. Its plan is ${audience}.`));
  },
});
