// get_pricing: what models and tools cost.

import { ok } from "../../../../base/result.ts";
import { getPricingTool, MAX_PRICED_MODELS } from "../../../../contract/mcp/account-tools.ts";
import { modelPricing, toolPricing } from "../../../core/money/rate-cards.ts";
import { answer, defineTool } from "../tool.ts";

export const getPricing = defineTool({
  name: "get_pricing",
  title: "Read the prices",
  description: "What models, tools and workflows cost.",
  hints: { isReadOnly: true },
  scopes: [],
  schemas: getPricingTool,
  run: async ({ about }, { core }) => {
    const card = about === "tools" ? null : modelPricing(core.rates);
    const models =
      card === null ? {} : { models: { ...card, models: card.models.slice(0, MAX_PRICED_MODELS) } };
    const omitted = (card?.models.length ?? 0) - (models.models?.models.length ?? 0);
    const tools = about === "models" ? {} : { tools: toolPricing(core.rates) };
    const named = (card?.models ?? []).slice(0, MAX_PRICED_MODELS).map(({ id }) => id);
    const text = card === null ? "The prices of tools and workflows." : `Prices of ${named.join(", ")}.`;
    return ok(answer({ ...models, ...(omitted === 0 ? {} : { models_omitted: omitted }), ...tools }, text));
  },
});
