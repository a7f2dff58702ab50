// GET and PATCH /v1/account.

import { ok } from "../../../../base/result.ts";
import { type accountRoutes, accountSchema } from "../../../../contract/account.ts";
import type { Account } from "../../../core/accounts/account.ts";
import { changeAccountName, readAccount } from "../../../core/accounts/account-name.ts";
import type { Core } from "../../../core/core.ts";
import { viewOf } from "../../shared/view-of.ts";
import { type NounHandlers, shown } from "../handler.ts";

const toAccount = viewOf<Account, "plan" | "subscription">()(accountSchema);

export function accountHandlers(core: Core): NounHandlers<typeof accountRoutes> {
  return {
    get: async ({ caller }) => ok({ body: toAccount(await readAccount(core, caller)) }),
    update: async ({ caller, body: { name }, requestId }) =>
      shown(await changeAccountName(core, { caller, name, requestId }), (account) => toAccount(account)),
  };
}
