// /v1/connections.

import { ok } from "../../../../base/result.ts";
import type { Connection, connectionRoutes } from "../../../../contract/connections.ts";
import { disconnect, listConnections, type ShownConnection } from "../../../core/connections/connections.ts";
import type { Core } from "../../../core/core.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function connectionHandlers(core: Core): NounHandlers<typeof connectionRoutes> {
  return {
    list: async ({ caller }) =>
      shown(ok(await listConnections(core, caller.accountId)), (connections) =>
        connections.map(toConnection),
      ),
    remove: async ({ caller, params, requestId }) =>
      shown(
        await disconnect(core, { caller, name: params.connection, requestId }),
        ({ connection, isRevoked }) => ({ name: connection.name, revoked: isRevoked }),
      ),
  };
}

function toConnection(connection: ShownConnection): Connection {
  const { name, serverUrl, issuer, scope, hosts, state, reason, connectedBy, connectedAt } = connection;
  return {
    name,
    server_url: serverUrl,
    issuer,
    scopes: scope === "" ? [] : scope.split(" "),
    hosts: [...hosts],
    state,
    reason,
    connected_by: connectedBy,
    connected_at: new Date(connectedAt).toISOString(),
  };
}
