// GET /v1/ws without an upgrade: the socket's own door is service/socket.

import { Hono } from "hono";
import { SOCKET_PATH } from "../../../../contract/sessions/socket.ts";
import type { Core } from "../../../core/core.ts";
import { limitByAddress } from "../limit-rate.ts";
import { answerProblem } from "../problems.ts";
import type { Env } from "../request-context.ts";

export function socketRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get(SOCKET_PATH, limitByAddress(core), (context) =>
    answerProblem(context, {
      status: 426,
      code: "upgrade_required",
      message: "This is a WebSocket. Ask for it with the headers Connection: Upgrade and Upgrade: websocket.",
      headers: { Upgrade: "websocket" },
    }),
  );
  return routes;
}
