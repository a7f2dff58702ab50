// The tokens of a connection, sealed and opened again.

import { isObject, parseObject } from "../../../base/json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, type SealingKeys, seal, unseal } from "../../../base/sealed-text.ts";
import type { Core } from "../core.ts";
import type { ClientSecret, ConnectionSecrets, McpConnection } from "./connection.ts";

export function sealSecrets(
  { random }: Pick<Core, "random">,
  { id, secrets, keys }: { id: string; secrets: ConnectionSecrets; keys: SealingKeys },
): string {
  const nonce = random.bytes(SEAL_NONCE_BYTES);
  return seal(JSON.stringify(secrets), { key: keys.current, nonce, boundTo: boundTo(id) });
}

/** Refused where this service cannot read them. */
export function openSecrets(
  { connections: { sealingKeys: keys } }: Pick<Core, "connections">,
  { id, sealed }: Pick<McpConnection, "id" | "sealed">,
): Result<ConnectionSecrets, "sealed"> {
  const opened = keys === null ? null : unseal(sealed, { keys, boundTo: boundTo(id) });
  const { accessToken, refreshToken, client } = (opened?.ok === true && parseObject(opened.value)) || {};
  if (typeof accessToken !== "string" || !isObject(client)) return refused("sealed");
  return ok({
    accessToken,
    refreshToken: typeof refreshToken === "string" ? refreshToken : null,
    // As it was sealed here.
    client: client as ClientSecret,
  });
}

/** Seals by the current key what the previous one has sealed, so that the operator can leave that one out. */
export async function resealConnections(core: Core): Promise<void> {
  const { sealingKeys: keys } = core.connections;
  if (keys === null || keys.previous === null) return;
  for (const connection of await core.store.committed.mcpConnections.listSealedBy(keys.previous.id)) {
    const { id, version } = connection;
    const secrets = openSecrets(core, connection);
    if (!secrets.ok) continue;
    const sealed = sealSecrets(core, { id, secrets: secrets.value, keys });
    await core.store.transact((tx) => tx.mcpConnections.reseal({ id, version, sealed }));
  }
}

function boundTo(id: string): string {
  return `mcp-connection:${id}`;
}
