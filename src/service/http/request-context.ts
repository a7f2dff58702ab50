// What every request carries besides itself.

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Logger } from "../../base/log.ts";

export type Env = {
  Bindings: HttpBindings;
  Variables: { requestId: string; log: Logger };
};

export type RequestContext = Context<Env>;
