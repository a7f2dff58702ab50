// A connection as a store has it, whose server is nowhere.

import type { McpConnection } from "../../../src/service/core/connections/connection.ts";

export function keptConnection(
  given: Pick<McpConnection, "accountId" | "connectedBy"> & Partial<McpConnection>,
): McpConnection {
  return {
    id: "01890000-0000-7000-8000-0000000000c1",
    name: "linear",
    serverUrl: "https://mcp.example.com/mcp",
    resource: "https://mcp.example.com/mcp",
    issuer: "https://auth.example.com",
    clientId: "client-1",
    tokenEndpoint: "https://auth.example.com/token",
    revocationEndpoint: null,
    scope: "read write",
    sealed: "v1.00000000.AAAA.AAAA",
    expiresAt: null,
    renewedAt: null,
    version: 1,
    state: "connected",
    reason: null,
    connectedAt: 1_768_471_200_000,
    ...given,
  };
}
