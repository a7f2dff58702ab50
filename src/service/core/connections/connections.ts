// The connections of an account: listed without their tokens, and ended.

import { ok, type Result, refused } from "../../../base/result.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { type AccountCaller, isOwner } from "../accounts/caller.ts";
import { shownName } from "../accounts/person.ts";
import type { OwnerNeededRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import { connectionsUrl } from "./addresses.ts";
import type { ConnectionState, McpConnection, SignInReason } from "./connection.ts";
import type { ConnectionRefusal } from "./refusals.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import { openSecrets } from "./sealed-secrets.ts";

/** As people see it. */
export type ShownConnection = Pick<
  McpConnection,
  "name" | "serverUrl" | "issuer" | "scope" | "connectedBy" | "connectedAt"
> & {
  /** Hosts that a run has to be allowed, as `egress` names them. */
  readonly hosts: readonly string[];
  /** Null: they are no member any more. */
  readonly personName: string | null;
  readonly state: ConnectionState;
  readonly reason: SignInReason | null;
};

/** By name. */
export async function listConnections(core: Core, accountId: string): Promise<readonly ShownConnection[]> {
  const { mcpConnections, people } = core.store.committed;
  const [all, members] = await Promise.all([mcpConnections.list(accountId), people.listMembers(accountId)]);
  return all.map((connection) => {
    const { name, serverUrl, issuer, scope, connectedBy, connectedAt } = connection;
    const member = members.find(({ personId }) => personId === connectedBy);
    const reason = findSignInReason(core, { connection, isMember: member !== undefined });
    return {
      ...{ name, serverUrl, issuer, scope, connectedBy, connectedAt },
      hosts: hostsOf(connection),
      personName: member === undefined ? null : shownName(member),
      state: reason === null ? "connected" : "sign_in_needed",
      reason,
    };
  });
}

/** Why a person has to sign in again; null where nobody has to. */
export function findSignInReason(
  core: Pick<Core, "connections">,
  { connection, isMember }: { connection: McpConnection; isMember: boolean },
): SignInReason | null {
  if (connection.state === "sign_in_needed") return connection.reason ?? "ended";
  if (!isMember) return "person_left";
  return openSecrets(core, connection).ok ? null : "sealed";
}

/** As `findSignInReason` asks it: what somebody has signed in to is of use as long as they are in the account. */
export async function isStillMember(
  { people }: Pick<StoreReader, "people">,
  { accountId, connectedBy: personId }: McpConnection,
): Promise<boolean> {
  return (await people.findMember({ accountId, personId })) !== null;
}

/** The server's host first. Each once. */
export function hostsOf({
  serverUrl,
  tokenEndpoint,
}: Pick<McpConnection, "serverUrl" | "tokenEndpoint">): readonly string[] {
  return [...new Set([serverUrl, tokenEndpoint].map((url) => new URL(url).host))];
}

type Disconnected = Result<
  { readonly connection: McpConnection; readonly isRevoked: boolean },
  ConnectionRefusal | OwnerNeededRefusal
>;

/** Deletes it, and then tells the authorization server, where it can be told. Counts from a run's next request on. */
export async function disconnect(
  core: Core,
  { caller, name, requestId }: { caller: AccountCaller; name: string; requestId: string },
): Promise<Disconnected> {
  const { accountId, personId } = caller;
  if (!isOwner(caller))
    return refused({ reason: "owner_needed", what: "end a connection", url: connectionsUrl(core.policy) });
  const connection = await core.store.transact(async (tx) => {
    const deleted = await tx.mcpConnections.delete({ accountId, name });
    const step = { action: "mcp_disconnected", outcome: "ok", method: name } as const;
    if (deleted !== null) await auditAccount(core, tx, { ...step, accountId, personId, requestId });
    return deleted;
  });
  if (connection === null) return refused({ reason: "connection_not_found", name });
  return ok({ connection, isRevoked: await revokeTokens(core, connection) });
}
