// Rate limits of strangers at one address, for routes that need no credential.

import type { MiddlewareHandler } from "hono";
import type { Core } from "../../core/core.ts";
import { chargeAddress } from "../shared/admit-caller.ts";
import { answerRefusal } from "./problems.ts";
import type { Env } from "./request-context.ts";

/** For public routes: 429 with `Retry-After` once the address has asked too often. */
export function limitByAddress(core: Core): MiddlewareHandler<Env> {
  return async (context, next) => {
    const refusal = chargeAddress(core, context.get("address"));
    return refusal === null ? await next() : answerRefusal(context, refusal);
  };
}
