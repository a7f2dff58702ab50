// What an account has, and what things cost.

import type { Credits } from "../contract/money/credits.ts";
import type { ModelPricing, ToolPricing } from "../contract/money/pricing.ts";
import type { CallOptions } from "./ci.ts";
import { type Connection, requestValue } from "./request.ts";

export type CreditsClient = {
  /** GET /v1/users/{userId}/credits: of the credential's own account alone. */
  getCredits(options: CallOptions & { readonly userId: string }): Promise<Credits>;
  /** GET /v1/pricing/models. Needs no credential. */
  modelPricing(options?: CallOptions): Promise<ModelPricing>;
  /** GET /v1/pricing/tools. Needs no credential. */
  toolPricing(options?: CallOptions): Promise<ToolPricing>;
};

export function creditsClient(connection: Connection): CreditsClient {
  return {
    getCredits: ({ userId, signal }) =>
      requestValue(connection, {
        path: `/v1/users/${encodeURIComponent(userId)}/credits`,
        decoder: async () => (await import("../contract/money/credits.ts")).creditsSchema,
        signal,
      }),
    modelPricing: (options) =>
      requestValue(connection, {
        path: "/v1/pricing/models",
        credential: "none",
        decoder: async () => (await import("../contract/money/pricing.ts")).modelPricingSchema,
        signal: options?.signal,
      }),
    toolPricing: (options) =>
      requestValue(connection, {
        path: "/v1/pricing/tools",
        credential: "none",
        decoder: async () => (await import("../contract/money/pricing.ts")).toolPricingSchema,
        signal: options?.signal,
      }),
  };
}
