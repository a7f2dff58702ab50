// GET /v1/users/{userID}/credits, and the rate cards, which stay the same until the service starts with other rates.

import { ok } from "../../../../base/result.ts";
import type { creditRoutes, pricingRoutes } from "../../../../contract/money/routes.ts";
import { readCredits } from "../../../core/accounts/read-credits.ts";
import type { Core } from "../../../core/core.ts";
import { modelPricing, toolPricing } from "../../../core/money/rate-cards.ts";
import { JsonText, type NounHandlers, shown } from "../handler.ts";

export function creditHandlers(core: Core): NounHandlers<typeof creditRoutes> {
  return {
    get: async ({ caller, params }) =>
      shown(await readCredits(core, { caller, userId: params.userID }), (credits) => credits),
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
