// The bearer credential of a request.

import type { Result } from "../../base/result.ts";
import { authenticate, type Caller } from "../core/caller.ts";
import type { Core } from "../core/core.ts";
import type { AuthRefusal } from "../core/refusal.ts";
import type { RequestContext } from "./request-context.ts";

const BEARER = /^Bearer +(\S+) *$/i;

export async function callerOf(core: Core, context: RequestContext): Promise<Result<Caller, AuthRefusal>> {
  const header = context.req.header("authorization");
  if (header === undefined) return await authenticate(core, null);
  return await authenticate(core, BEARER.exec(header)?.[1] ?? "");
}
