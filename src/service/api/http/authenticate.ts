// The bearer credential of a request, within the rates of whoever sends it.

import type { Result } from "../../../base/result.ts";
import type { Caller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import { type AdmitRefusal, admitCaller } from "../shared/admit-caller.ts";
import { bearerOf } from "../shared/bearer.ts";
import type { RequestContext } from "./request-context.ts";

export async function callerOf(core: Core, context: RequestContext): Promise<Result<Caller, AdmitRefusal>> {
  const bearer = bearerOf(context.req.header("authorization"));
  return await admitCaller(core, { bearer, address: context.var.address });
}
