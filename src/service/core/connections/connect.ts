// A person signs in to an MCP server for their account: by authorization code with PKCE (RFC 7636), for one resource (RFC 8707), at the
// authorization server that was found before the browser leaves (RFC 9207).
// Why: docs/decisions/181-connections-of-the-account.md

import { hash } from "node:crypto";
import { parseObject } from "../../../base/json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, type SealingKeys, seal, unseal } from "../../../base/sealed-text.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import { MCP_SERVER_NAME_FORM, mcpServerNamePattern } from "../../../contract/runs/mcp-server-name.ts";
import { faultOfServerUrl } from "../../../contract/runs/mcp-servers.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import { beginAttempt, takeAttempt } from "../sign-in/attempts.ts";
import type { WebSession } from "../web-sessions/web-session.ts";
import { callbackUrl, clientName, documentUrl } from "./addresses.ts";
import type { FoundAuthorization, GivenTokens } from "./authorization-port.ts";
import { type ConnectionKey, MAX_CONNECTIONS, type McpConnection } from "./connection.ts";
import type { ConnectRefusal } from "./refusals.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import { sealSecrets } from "./sealed-secrets.ts";

const KIND = "mcp_connection";
const VERIFIER_BYTES = 32;
const MAX_ERROR_CHARS = 100;
const MAX_DESCRIPTION_CHARS = 500;

/** Who signs in: this browser of this person, in this account. */
type Signing = Pick<WebSession, "id" | "accountId" | "personId">;

export type LeadOut = {
  /** Where the person signs in. */
  readonly url: string;
  readonly found: FoundAuthorization;
};

/** What comes back finds this again, once. */
type Attempt = {
  readonly sessionId: string;
  readonly personId: string;
  readonly name: string;
  readonly serverUrl: string;
  readonly verifier: string;
  readonly found: FoundAuthorization;
};

/** The address of the sign-in. A connection of this name with the same server gets new tokens by it. */
export async function beginConnection(
  core: Core,
  { session, name, serverUrl }: { session: Signing; name: string; serverUrl: string },
): Promise<Result<LeadOut, ConnectRefusal>> {
  const { policy, connections, random } = core;
  const { accountId, personId, id: sessionId } = session;
  const { sealingKeys } = connections;
  if (sealingKeys === null) return refused({ reason: "off" });
  if (!mcpServerNamePattern.test(name))
    return refused({ reason: "name_wrong", allowed: MCP_SERVER_NAME_FORM });
  const fault = faultOfServerUrl(serverUrl);
  if (fault !== null) return refused({ reason: "url_wrong", allowed: fault });
  const taken = await findFault(core.store.committed, { accountId, name, serverUrl });
  if (taken !== null) return refused(taken);
  const asked = { serverUrl, redirectUri: callbackUrl(policy), documentUrl: documentUrl(policy) };
  const by = { clientName: clientName(policy), clientUri: policy.webUrl };
  const authorization = await connections.servers.find({ ...asked, ...by });
  if (!authorization.ok) return refused({ reason: "failed", detail: authorization.refusal.detail });
  const { value: found } = authorization;
  const verifier = Buffer.from(random.bytes(VERIFIER_BYTES)).toString("base64url");
  const attempt: Attempt = { sessionId, personId, name, serverUrl, verifier, found };
  const sealed = sealAttempt(core, { attempt, accountId, keys: sealingKeys });
  const state = await beginAttempt(core, { kind: KIND, state: { accountId, sealed } });
  return ok({ url: authorizationUrl({ found, state, verifier, redirectUri: asked.redirectUri }), found });
}

type Query = {
  readonly state: string | undefined;
  readonly iss: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly description: string | undefined;
};

/**
 * Keeps what the authorization server gives for its answer. Tokens that it replaces are taken back once the new ones are stored, as far
 * as their authorization server takes that: a failure is in the log.
 */
export async function finishConnection(
  core: Core,
  { session, query, requestId }: { session: Signing; query: Query; requestId: string },
): Promise<Result<McpConnection, ConnectRefusal>> {
  const { sealingKeys } = core.connections;
  if (sealingKeys === null) return refused({ reason: "off" });
  const attempt = await readAttempt(core, { secret: query.state ?? null, keys: sealingKeys, session });
  if (attempt === null) return refused({ reason: "over" });
  const { name, serverUrl, verifier, found } = attempt;
  const { issuer, namesIssuer } = found;
  // RFC 9207 §2.4, before anything else is looked at.
  if (query.iss === undefined ? namesIssuer : query.iss !== issuer)
    return refused({ reason: "other_issuer", issuer });
  const { code, error } = query;
  if (error !== undefined || code === undefined) return refused(deniedBy(issuer, query));
  const redirectUri = callbackUrl(core.policy);
  const given = await core.connections.servers.redeem({ ...found, code, verifier, redirectUri });
  if (!given.ok) return refused({ reason: "failed", detail: given.refusal.detail });
  const { accountId, personId } = session;
  const now = core.clock.now();
  const made = await core.store.transact(async (tx): Promise<Result<Connected, ConnectRefusal>> => {
    await tx.accounts.lock(accountId);
    // It may have been made meanwhile.
    const taken = await findFault(tx, { accountId, name, serverUrl });
    if (taken !== null) return refused(taken);
    const connection: McpConnection = {
      ...tokensOf(core, { found, given: given.value, keys: sealingKeys }),
      accountId,
      name,
      serverUrl,
      resource: found.resource,
      issuer,
      clientId: found.clientId,
      tokenEndpoint: found.tokenEndpoint,
      revocationEndpoint: found.revocationEndpoint,
      renewedAt: null,
      version: 1,
      state: "connected",
      reason: null,
      connectedBy: personId,
      connectedAt: now,
    };
    const replaced = await tx.mcpConnections.find({ accountId, name });
    await tx.mcpConnections.put(connection);
    const step = { action: "mcp_connected", outcome: "ok", method: name } as const;
    await auditAccount(core, tx, { ...step, accountId, personId, requestId });
    return ok({ connection, replaced });
  });
  if (!made.ok) return made;
  const { connection, replaced } = made.value;
  if (replaced !== null) await takeBack(core, { replaced, given: given.value });
  return ok(connection);
}

type Connected = { readonly connection: McpConnection; readonly replaced: McpConnection | null };

async function takeBack(
  core: Core,
  { replaced, given }: { replaced: McpConnection; given: GivenTokens },
): Promise<void> {
  if (replaced.revocationEndpoint === null || (await revokeTokens(core, replaced, given))) return;
  const { accountId, name, issuer } = replaced;
  core.log.warn(
    { account_id: accountId, connection: name, issuer },
    "the tokens that a sign-in replaced could not be revoked",
  );
}

function tokensOf(
  core: Core,
  { found, given, keys }: { found: FoundAuthorization; given: GivenTokens; keys: SealingKeys },
): Pick<McpConnection, "id" | "sealed" | "expiresAt" | "scope"> {
  const id = core.random.uuid(core.clock.now());
  const { accessToken, refreshToken, expiresAt, scope } = given;
  const secrets = { accessToken, refreshToken, client: found.client };
  return { id, sealed: sealSecrets(core, { id, secrets, keys }), expiresAt, scope: scope ?? found.scope };
}

/** The name belongs to a server as long as the connection is there. */
async function findFault(
  store: Pick<StoreReader, "mcpConnections">,
  { accountId, name, serverUrl }: ConnectionKey & { serverUrl: string },
): Promise<ConnectRefusal | null> {
  const all = await store.mcpConnections.list(accountId);
  const same = all.find((one) => one.name === name);
  if (same === undefined)
    return all.length >= MAX_CONNECTIONS ? { reason: "reached", allowed: MAX_CONNECTIONS } : null;
  return same.serverUrl === serverUrl ? null : { reason: "other_server", name, serverUrl: same.serverUrl };
}

function authorizationUrl({
  found,
  state,
  verifier,
  redirectUri,
}: {
  found: FoundAuthorization;
  state: string;
  verifier: string;
  redirectUri: string;
}): string {
  const { authorizationEndpoint, clientId, resource, scope } = found;
  const url = new URL(authorizationEndpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
    resource,
    ...(scope === "" ? {} : { scope }),
    // OpenID Connect Core §11: without it the scope is ignored.
    ...(scope.split(" ").includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

type Sealed = { readonly keys: SealingKeys };

/** It holds the verifier, and may hold a client's secret. */
function sealAttempt(
  { random }: Pick<Core, "random">,
  { attempt, accountId, keys }: Sealed & { attempt: Attempt; accountId: string },
): string {
  const nonce = random.bytes(SEAL_NONCE_BYTES);
  return seal(JSON.stringify(attempt), { key: keys.current, nonce, boundTo: `${KIND}:${accountId}` });
}

/** Null where it was not begun in this session within the last minutes. */
async function readAttempt(
  core: Core,
  { secret, keys, session }: Sealed & { secret: string | null; session: Signing },
): Promise<Attempt | null> {
  const kept = (await takeAttempt(core, { kind: KIND, secret })) as {
    accountId: string;
    sealed: string;
  } | null;
  if (kept === null || kept.accountId !== session.accountId) return null;
  const opened = unseal(kept.sealed, { keys, boundTo: `${KIND}:${kept.accountId}` });
  // As it was sealed here.
  const attempt = opened.ok ? (parseObject(opened.value) as Attempt | null) : null;
  if (attempt === null) return null;
  return attempt.sessionId === session.id && attempt.personId === session.personId ? attempt : null;
}

function deniedBy(issuer: string, { error = "no_code", description }: Query): ConnectRefusal {
  return {
    reason: "denied",
    issuer,
    error: singleLine(error, MAX_ERROR_CHARS),
    description: description === undefined ? null : singleLine(description, MAX_DESCRIPTION_CHARS),
  };
}
