// The bearer credential of a request.

import type { Result } from "../../base/result.ts";
import { bearerOf } from "../core/bearer.ts";
import { authenticate, type Caller } from "../core/caller.ts";
import type { Core } from "../core/core.ts";
import type { AuthRefusal } from "../core/refusal.ts";
import type { RequestContext } from "./request-context.ts";

export async function callerOf(core: Core, context: RequestContext): Promise<Result<Caller, AuthRefusal>> {
  return await authenticate(core, bearerOf(context.req.header("authorization")));
}
