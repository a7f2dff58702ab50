// The tokens of a sign-in that is over, taken back at their authorization server (RFC 7009).

import type { Core } from "../core.ts";
import type { ConnectionSecrets, McpConnection } from "./connection.ts";
import { openSecrets } from "./sealed-secrets.ts";

/**
 * Tells the authorization server that the tokens of a connection are over. False where it was not told: it has no way to be told, did
 * not take it in time, or the tokens cannot be read. What is among `kept` is left alone. Never rejects.
 */
export async function revokeTokens(
  core: Core,
  connection: McpConnection,
  kept: Pick<ConnectionSecrets, "accessToken" | "refreshToken"> | null = null,
): Promise<boolean> {
  const secrets = openSecrets(core, connection);
  if (!secrets.ok) return false;
  return await revokeGiven(core, { ...connection, ...secrets.value }, kept);
}

type Given = Pick<
  McpConnection,
  "issuer" | "clientId" | "resource" | "tokenEndpoint" | "revocationEndpoint"
> &
  ConnectionSecrets;

/** The same of tokens that were not stored. */
export async function revokeGiven(
  core: Core,
  { revocationEndpoint, accessToken, refreshToken, ...client }: Given,
  kept: Pick<ConnectionSecrets, "accessToken" | "refreshToken"> | null = null,
): Promise<boolean> {
  if (revocationEndpoint === null) return false;
  // A server that gives the same refresh token again may end it with the access token, too (RFC 7009 §2.1).
  if (refreshToken !== null && refreshToken === kept?.refreshToken) return false;
  const { servers } = core.connections;
  const asked = { ...client, revocationEndpoint };
  // The refresh token first: it ends what was given by it, too.
  const first =
    refreshToken === null || (await servers.revoke({ ...asked, token: refreshToken, hint: "refresh_token" }));
  if (accessToken === kept?.accessToken) return first;
  const second = await servers.revoke({ ...asked, token: accessToken, hint: "access_token" });
  return first && second;
}
