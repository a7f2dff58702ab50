// GET /v1/ws without an upgrade: service/api/socket answers the handshakes.

import { refused } from "../../../../base/result.ts";
import type { sessionRoutes } from "../../../../contract/sessions/routes.ts";
import type { PublicProblem } from "../../../core/ports/problem.ts";
import type { NounHandlers } from "../handler.ts";

const upgradeRequired: PublicProblem = {
  status: 426,
  code: "upgrade_required",
  message: "This is a WebSocket. Ask for it with the headers Connection: Upgrade and Upgrade: websocket.",
  headers: { Upgrade: "websocket" },
};

export const sessionHandlers: NounHandlers<typeof sessionRoutes> = {
  follow: async () => refused(upgradeRequired),
};
