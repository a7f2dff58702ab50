// GET /v1/users/{userID}/credits, /v1/account/ledger and /v1/account/usage, and the rate cards, which stay the same until the service starts with other rates.

import { ok, refused } from "../../../../base/result.ts";
import type { creditRoutes, pricingRoutes } from "../../../../contract/money/routes.ts";
import { MAX_USAGE_DAYS } from "../../../../contract/money/usage.ts";
import { readCredits } from "../../../core/accounts/read-credits.ts";
import { readLedger } from "../../../core/accounts/read-ledger.ts";
import type { Core } from "../../../core/core.ts";
import { modelPricing, toolPricing } from "../../../core/money/rate-cards.ts";
import { invalidRequest } from "../../../core/ports/problem.ts";
import { daysOf, readUsage, spanOf } from "../../../core/usage/read-usage.ts";
import { toLedger, toUsage } from "../../shared/usage-view.ts";
import { JsonText, type NounHandlers, shown } from "../handler.ts";

export function creditHandlers(core: Core): NounHandlers<typeof creditRoutes> {
  return {
    get: async ({ caller, params }) =>
      shown(await readCredits(core, { caller, userId: params.userID }), (credits) => credits),
    ledger: async ({ caller, query: { before = null, limit } }) =>
      ok({ body: toLedger(await readLedger(core, { caller, before, limit })) }),
    usage: async ({ caller, query: { by, from, to, agent_id: agentId = null } }) => {
      const span = spanOf({ from, to, now: core.clock.now() });
      const days = daysOf(span);
      if (days < 1) return refused(invalidRequest('"to" must not be before "from".'));
      if (days > MAX_USAGE_DAYS)
        return refused(invalidRequest(`"from" to "to" must be at most ${MAX_USAGE_DAYS} days, got ${days}.`));
      const usage = await readUsage(core, { caller, ...span, by, agentId });
      return ok({ body: toUsage(usage, { by, ...span }) });
    },
  };
}

export function pricingHandlers(core: Core): NounHandlers<typeof pricingRoutes> {
  const models = new JsonText(JSON.stringify(modelPricing(core.rates)));
  const tools = new JsonText(JSON.stringify(toolPricing(core.rates)));
  return {
    models: async () => ok({ body: models }),
    tools: async () => ok({ body: tools }),
  };
}
