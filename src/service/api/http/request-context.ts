// The context of every request.

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Logger } from "../../../base/log.ts";

/** Variables are read by `context.get`: `context.var` makes an object of all of them each time. */
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
