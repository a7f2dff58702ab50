// The tools of credits and prices.

import * as z from "zod/mini";
import { ok } from "../../../../base/result.ts";
import { field } from "../../../../contract/field.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "../../../../contract/money/money.ts";
import { creditRoutes } from "../../../../contract/money/routes.ts";
import { modelPricing, toolPricing } from "../../../core/money/rate-cards.ts";
import { creditHandlers } from "../../http/handlers/money.ts";
import { cut, part } from "../answer-part.ts";
import { answer, ownTool, said, tool } from "../tool.ts";

const MAX_PRICED_MODELS = 60;

const toolCredits = part(creditsSchema, [
  "balance",
  "low_credit_threshold",
  "peg_cents",
  "active_plan",
  "audience",
]);

export const moneyTools = [
  tool(creditRoutes.get, {
    name: "get_credits",
    title: "Read the credits",
    description: "The account's balance, in credits, and its plan.",
    hints: { isReadOnly: true },
    finds: ["userID"],
    output: toolCredits.schema,
    run: async (request, { core }) => {
      const params = { userID: request.caller.accountId };
      return said(await creditHandlers(core).get({ ...request, params }), (credits) => {
        const { balance, low_credit_threshold, audience } = credits;
        const low = balance <= low_credit_threshold ? ", which is low" : "";
        const text = `The account has ${balance} credits${low}. Its plan is ${audience}.`;
        return answer(toolCredits.of(credits), text);
      });
    },
  }),
  ownTool({
    name: "get_pricing",
    role: "viewer",
    title: "Read the prices",
    description: "What models, tools and workflows cost.",
    hints: { isReadOnly: true },
    scopes: [],
    takes: { about: field(z._default(z.enum(["models", "tools", "all"]), "all"), "Which rate card.") },
    output: z.object({
      models: z.optional(modelPricingSchema),
      models_omitted: z.optional(z.int()),
      tools: z.optional(toolPricingSchema),
    }),
    run: async ({ about }, { core }) => {
      const tools = about === "models" ? {} : { tools: toolPricing(core.rates) };
      if (about === "tools") return ok(answer(tools, "The prices of tools and workflows."));
      const card = modelPricing(core.rates);
      const { items, omitted } = cut(card.models, MAX_PRICED_MODELS);
      const more = omitted === undefined ? {} : { models_omitted: omitted };
      const text = `Prices of ${items.map(({ id }) => id).join(", ")}.`;
      return ok(answer({ models: { ...card, models: [...items] }, ...more, ...tools }, text));
    },
  }),
];
