// The service as a client of authorization servers, for connections in which a person signs in: found and registered, a code and a refresh
// token redeemed, a token revoked. Every request goes through the sender that is given.
// Specification 2026-07-28, basic/authorization.
// Why: docs/decisions/181-connections-of-the-account.md

import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  RegistrationRejectedError,
  refreshAuthorization,
  registerClient,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../base/clock.ts";
import {
  awayOf,
  bearerOf,
  codeOf,
  discoverServer,
  type FoundServer,
  hostOf,
  reading,
  withTimeout,
} from "./authorization-server.ts";
import { ServerAccessError } from "./server-grant.ts";

const OFFLINE_ACCESS = "offline_access";
/** What is kept of an end: further ones are no dates any more. */
const MAX_LIFE_SECONDS = 100 * 365 * 24 * 3600;
const MAX_CLIENT_ID_CHARS = 2048;
const MAX_SECRET_CHARS = 4096;
/** Errors of RFC 6749 §5.2 that are about the grant or the client: another try is refused as well. */
const finalCodes: readonly string[] = ["invalid_grant", "invalid_client", "unauthorized_client"];

type Sending = {
  /** Checks each address itself, and follows no redirect. */
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "now">;
};

type ClientMethod = "none" | "client_secret_basic" | "client_secret_post";

type ConnectionClient = {
  readonly id: string;
  readonly method: ClientMethod;
  readonly secret: string | null;
};

type TokenServer = {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
  readonly client: ConnectionClient;
};

type ConnectionTokens = {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Null: the answer did not say it. */
  readonly expiresAt: number | null;
  readonly scope: string | null;
};

type FoundConnection = Pick<TokenServer, "issuer" | "tokenEndpoint" | "resource" | "client"> & {
  readonly authorizationEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly scope: string;
  readonly isByDocument: boolean;
  readonly namesIssuer: boolean;
};

type Introduced = {
  readonly serverUrl: string;
  readonly redirectUri: string;
  /** Null: nobody could read it. */
  readonly documentUrl: string | null;
  readonly clientName: string;
  readonly clientUri: string;
};

/** The authorization server refused the grant or the client. */
export class ConnectionRefused extends ServerAccessError {
  readonly isConnectionRefused = true;
}

/** Rejects with ServerAccessError. */
export async function findConnection(asked: Introduced, sending: Sending): Promise<FoundConnection> {
  const { serverUrl } = asked;
  const signal = new AbortController().signal;
  const send = withTimeout({ fetch: sending.fetch, signal });
  const challenge = await challengeOf(serverUrl, send);
  const found = await discoverServer({ serverUrl, issuer: null, fetch: sending.fetch, signal }, challenge);
  const { metadata, resource } = found;
  const { issuer } = metadata;
  const host = hostOf(issuer);
  // Where the list is absent, nobody would check the challenge.
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw new ServerAccessError(`${host} does not say that it takes PKCE with S256: nobody is sent there.`);
  if (!metadata.response_types_supported.includes("code"))
    throw new ServerAccessError(`${host} gives no authorization codes.`);
  const authorizationEndpoint = httpsUrl(metadata.authorization_endpoint, "authorization endpoint", host);
  const scope = scopeOf(found);
  const isByDocument =
    asked.documentUrl !== null && Reflect.get(metadata, "client_id_metadata_document_supported") === true;
  const client: ConnectionClient =
    isByDocument && asked.documentUrl !== null
      ? { id: asked.documentUrl, method: "none", secret: null }
      : await register(asked, { metadata, scope, send });
  const revocation = Reflect.get(metadata, "revocation_endpoint");
  return {
    issuer,
    tokenEndpoint: metadata.token_endpoint,
    resource,
    client,
    authorizationEndpoint,
    revocationEndpoint: typeof revocation === "string" && isHttps(revocation) ? revocation : null,
    scope,
    isByDocument,
    namesIssuer: Reflect.get(metadata, "authorization_response_iss_parameter_supported") === true,
  };
}

/** The server's answer to somebody without a token. Null where it asks for none now. */
async function challengeOf(serverUrl: string, send: typeof fetch): Promise<Response | null> {
  const answer = await send(serverUrl, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await answer.body?.cancel();
  return answer.status === 401 ? answer : null;
}

/** What the server asks for, and a refresh token where the authorization server has them by a scope. */
function scopeOf({ metadata, scope }: FoundServer): string {
  const asked = (scope ?? "").split(" ").filter((one) => one !== "");
  const offers = metadata.scopes_supported?.includes(OFFLINE_ACCESS) === true;
  return [...new Set([...asked, ...(offers ? [OFFLINE_ACCESS] : [])])].join(" ");
}

type Registering = {
  readonly metadata: AuthorizationServerMetadata;
  readonly scope: string;
  readonly send: typeof fetch;
};

/** RFC 7591. */
async function register(
  { redirectUri, documentUrl, clientName, clientUri }: Introduced,
  { metadata, scope, send }: Registering,
): Promise<ConnectionClient> {
  const { issuer, registration_endpoint: endpoint } = metadata;
  const host = hostOf(issuer);
  if (endpoint === undefined)
    throw new ServerAccessError(
      documentUrl === null
        ? `${host} registers nobody, and this service has no https address at which its document could be read: set BASE_URL.`
        : `${host} takes neither the document of this service (client_id_metadata_document_supported) nor registrations: it cannot be connected.`,
    );
  httpsUrl(endpoint, "registration endpoint", host);
  const { protocol, hostname } = new URL(redirectUri);
  const isNative = protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const registered = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: clientName,
      client_uri: clientUri,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: isNative ? "native" : "web",
      ...(scope === "" ? {} : { scope }),
    },
    fetchFn: send,
  }).catch((cause: unknown) => {
    if (ServerAccessError.is(cause)) throw cause;
    const status = cause instanceof RegistrationRejectedError ? ` (${cause.status})` : "";
    throw new ServerAccessError(`${host} did not register this service${status}.`, { cause });
  });
  const { client_id: id, client_secret: secret = null } = registered;
  if (id === "" || id.length > MAX_CLIENT_ID_CHARS || (secret?.length ?? 0) > MAX_SECRET_CHARS)
    throw new ServerAccessError(`${host} registered this service without a client ID that can be used.`);
  const method = registered.token_endpoint_auth_method;
  return { id, secret, method: methodOf(method, secret) };
}

/** RFC 7591 §2: a client with a secret is `client_secret_basic` where nothing is said. */
function methodOf(said: string | undefined, secret: string | null): ClientMethod {
  if (secret === null || said === "none") return "none";
  return said === "client_secret_post" ? said : "client_secret_basic";
}

/** Rejects with ServerAccessError, or ConnectionRefused. */
export async function redeemCode(
  server: TokenServer & { readonly code: string; readonly verifier: string; readonly redirectUri: string },
  sending: Sending,
): Promise<ConnectionTokens> {
  const { issuer, resource, code, verifier, redirectUri } = server;
  return await askForTokens({ server, sending, what: "the code" }, (parts) =>
    exchangeAuthorization(issuer, {
      ...parts,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      resource,
    }),
  );
}

/** Rejects with ServerAccessError, or ConnectionRefused. */
export async function refreshTokens(
  server: TokenServer & { readonly refreshToken: string },
  sending: Sending,
): Promise<ConnectionTokens> {
  const { issuer, resource, refreshToken } = server;
  return await askForTokens({ server, sending, what: "the refresh token" }, (parts) =>
    refreshAuthorization(issuer, { ...parts, refreshToken, resource }),
  );
}

type Asking = {
  readonly server: TokenServer;
  readonly sending: Sending;
  /** What may be refused. */
  readonly what: string;
};
type TokenParts = {
  readonly metadata: AuthorizationServerMetadata;
  readonly clientInformation: OAuthClientInformationMixed;
  readonly fetchFn: typeof fetch;
};

async function askForTokens(
  { server, sending, what }: Asking,
  ask: (parts: TokenParts) => Promise<OAuthTokens>,
): Promise<ConnectionTokens> {
  const { issuer, client } = server;
  const host = hostOf(issuer);
  const { clock } = sending;
  const now = clock.now();
  const send = withTimeout({ fetch: sending.fetch, signal: new AbortController().signal });
  let answer: Response | null = null;
  const tokens = await ask({
    metadata: metadataOf(server),
    clientInformation: {
      client_id: client.id,
      token_endpoint_auth_method: client.method,
      ...(client.secret === null ? {} : { client_secret: client.secret }),
    },
    fetchFn: async (url, init) => {
      answer = await send(url, init);
      return answer;
    },
  }).catch((cause: unknown) => {
    if (ServerAccessError.is(cause)) throw cause;
    const away = answer === null ? null : awayOf(answer, { host, nowMs: clock.now(), cause });
    if (away !== null) throw away;
    const code = codeOf(cause);
    const said = [answer?.status, code].filter((one) => one !== undefined && one !== null).join(", ");
    const message = `${host} refused ${what}${said === "" ? "" : ` (${said})`}.`;
    throw code !== null && finalCodes.includes(code)
      ? new ConnectionRefused(message, { cause })
      : new ServerAccessError(message, { cause });
  });
  const { accessToken, seconds } = bearerOf(tokens, issuer);
  const { refresh_token: refreshToken = null, scope = null } = tokens;
  const lifeMs = seconds === undefined ? null : Math.min(seconds, MAX_LIFE_SECONDS) * 1000;
  return { accessToken, refreshToken, expiresAt: lifeMs === null ? null : now + lifeMs, scope };
}

/** As far as a request for tokens reads it. */
function metadataOf({ issuer, tokenEndpoint, client }: TokenServer): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: tokenEndpoint,
    token_endpoint: tokenEndpoint,
    response_types_supported: ["code"],
    token_endpoint_auth_methods_supported: [client.method],
  };
}

/** RFC 7009. Rejects with ServerAccessError. */
export async function revokeToken(
  {
    revocationEndpoint,
    token,
    hint,
    client,
  }: {
    readonly revocationEndpoint: string;
    readonly token: string;
    readonly hint: "access_token" | "refresh_token";
    readonly client: ConnectionClient;
  },
  sending: Sending,
): Promise<void> {
  const host = hostOf(revocationEndpoint);
  const send = withTimeout({ fetch: sending.fetch, signal: new AbortController().signal });
  const form = new URLSearchParams({ token, token_type_hint: hint });
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  if (client.method === "client_secret_basic") {
    const pair = [client.id, client.secret ?? ""].map(encodeURIComponent).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  } else form.set("client_id", client.id);
  if (client.method === "client_secret_post") form.set("client_secret", client.secret ?? "");
  const answer = await reading(`${host} was not told that a token is over.`, () =>
    send(revocationEndpoint, { method: "POST", headers, body: form }),
  );
  await answer.body?.cancel();
  if (!answer.ok) throw new ServerAccessError(`${host} did not revoke a token (${answer.status}).`);
}

function httpsUrl(url: string, what: string, host: string): string {
  if (isHttps(url)) return url;
  throw new ServerAccessError(`The ${what} of ${host} is not reached by https.`);
}

function isHttps(url: string): boolean {
  return URL.parse(url)?.protocol === "https:";
}
