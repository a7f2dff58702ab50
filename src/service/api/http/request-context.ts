// What every request carries besides itself.

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Logger } from "../../../base/log.ts";

export type Env = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Makes a logger whose lines have the id. */
    log: () => Logger;
    /** Whom it came from, as rate limits count. */
    address: string;
    /** Why the request was refused: the core's reason, or else the public code. */
    problem?: string;
  };
};

export type RequestContext = Context<Env>;
