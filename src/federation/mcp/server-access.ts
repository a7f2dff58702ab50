// Access tokens for one MCP server, from the authorization server that it names: found by RFC 9728 and RFC 8414, asked by the SDK, with
// one grant. A refusal is final: neither another grant nor another authorization server is tried.
// Specification 2026-07-28, extensions io.modelcontextprotocol/oauth-client-credentials and io.modelcontextprotocol/auth/wif.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import {
  type AuthorizationServerMetadata,
  ClientCredentialsProvider,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  fetchToken,
  type OAuthClientProvider,
  OAuthError,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { parseRetryAfterMs, type RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { JWT_BEARER_GRANT } from "../../contract/ci/exchange.ts";
import type { AccessToken } from "../provider.ts";
import { openRenewedToken, type RenewedToken } from "../renewed-token.ts";
import {
  type Challenge,
  type MintIdToken,
  ServerAccessError,
  type ServerGrant,
  type ServerToken,
} from "./server-grant.ts";

const REQUEST_MS = 20_000;
/** Where an answer does not say it. */
const DEFAULT_LIFE_SECONDS = 3600;
const MAX_LIFE_SECONDS = 24 * 3600;
const ACCESS_TOKEN = /^[\x21-\x7e]{1,16384}$/;
const CLIENT_NAME = "agent-service";

export type ServerAccessOptions = {
  readonly serverUrl: string;
  readonly grant: ServerGrant;
  /** Of the job. Null: there is none. */
  readonly mintIdToken: MintIdToken | null;
  /** Checks each address itself, and follows no redirect. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  /** Called with each ID token and each access token before it is used. */
  readonly onSecret: (secret: string) => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
};

export type ServerAccess = ServerToken &
  Pick<RenewedToken, "current" | "renewalInMs"> & {
    /** Notes what a server's answer says of its authorization, before a token is asked for. */
    heed(challenge: Challenge): void;
  };

/** The authorization server of a server, as both say. */
type Found = {
  readonly metadata: AuthorizationServerMetadata;
  /** RFC 8707. */
  readonly resource: string;
  readonly scope: string | undefined;
};

/** Asks for nothing until a token is needed. */
export function openServerAccess(options: ServerAccessOptions): ServerAccess {
  const { clock, random, onRetry, signal } = options;
  let challenge: Challenge | null = null;
  let found: Found | null = null;
  const exchange = async (): Promise<AccessToken> => {
    found ??= await discover(options, challenge);
    return await requestToken(options, found);
  };
  const renewed = openRenewedToken({ exchange, clock, random, onRetry, signal });
  return {
    current: renewed.current,
    renewalInMs: renewed.renewalInMs,
    heed: (given) => {
      challenge = given;
    },
    // The server is asked without a token first: its answer says where one is to be had.
    token: async () => (found === null ? undefined : (await renewed.current(signal)).accessToken),
    renew: async (given) => {
      challenge = given;
      // It may name another authorization server by now.
      found = null;
      await renewed.renew(signal);
    },
    origin: () => found?.metadata.issuer ?? null,
  };
}

async function discover(options: ServerAccessOptions, challenge: Challenge | null): Promise<Found> {
  const { serverUrl, grant } = options;
  const fetchFn = withTimeout(options);
  const host = new URL(serverUrl).host;
  const asked = challenge === null ? {} : extractWWWAuthenticateParams(challenge);
  const { resourceMetadataUrl } = asked;
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== new URL(serverUrl).origin)
    throw new ServerAccessError(`${host} keeps its OAuth metadata at another host, which is not asked.`);
  const at = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const about = await reading(`${host} does not say which authorization server it trusts (RFC 9728).`, () =>
    discoverOAuthProtectedResourceMetadata(serverUrl, at, fetchFn),
  );
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  if (!checkResourceAllowed({ requestedResource, configuredResource: about.resource }))
    throw new ServerAccessError(`The OAuth metadata of ${host} are about another server.`);
  const listed = about.authorization_servers ?? [];
  const [first] = listed;
  if (first === undefined) throw new ServerAccessError(`${host} names no authorization server.`);
  const issuer = grant.issuer === null ? first : listed.find((one) => isSameIssuer(one, grant.issuer ?? ""));
  if (issuer === undefined)
    throw new ServerAccessError(
      `${host} does not name the authorization server that "issuer" says: nothing was sent to those that it names.`,
    );
  const metadata = await reading(`The metadata of ${hostOf(issuer)} cannot be read (RFC 8414).`, () =>
    discoverAuthorizationServerMetadata(issuer, { fetchFn }),
  );
  if (metadata === undefined)
    throw new ServerAccessError(`${hostOf(issuer)} has no metadata of an authorization server (RFC 8414).`);
  if (new URL(metadata.token_endpoint).protocol !== "https:" && !isLoopback(metadata.token_endpoint))
    throw new ServerAccessError(`The token endpoint of ${hostOf(issuer)} is not reached by https.`);
  const supported = about.scopes_supported?.join(" ");
  return { metadata, resource: about.resource, scope: grant.scope ?? asked.scope ?? supported };
}

/** Names of this machine, for tests of the protocol's makers: whoever gives `fetch` refuses them elsewhere. */
function isLoopback(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

/** As the SDK compares them: by their text, but for one slash at the end. */
function isSameIssuer(one: string, other: string): boolean {
  const plain = (text: string) => (text.endsWith("/") ? text.slice(0, -1) : text);
  return plain(one) === plain(other);
}

async function requestToken(options: ServerAccessOptions, found: Found): Promise<AccessToken> {
  const { clock, onSecret, signal } = options;
  const { metadata, resource, scope } = found;
  const { issuer } = metadata;
  const provider = await providerOf(options, metadata);
  const now = clock.now();
  let answer: Response | null = null;
  const fetchFn = withTimeout(options);
  const tokens = await fetchToken(provider, issuer, {
    metadata,
    resource,
    ...(scope === undefined ? {} : { scope }),
    fetchFn: async (url, init) => {
      answer = await fetchFn(url, init);
      return answer;
    },
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw refusalOf(cause, { options, issuer, answer, nowMs: clock.now() });
  });
  return tokenOf(tokens, { issuer, begunAt: now, onSecret });
}

async function providerOf(
  { grant, mintIdToken, onSecret, signal }: ServerAccessOptions,
  metadata: AuthorizationServerMetadata,
): Promise<OAuthClientProvider> {
  const scope = grant.scope === null ? {} : { scope: grant.scope };
  switch (grant.type) {
    case "client_credentials":
      return new ClientCredentialsProvider({
        clientId: grant.clientId,
        clientSecret: grant.clientSecret,
        clientName: CLIENT_NAME,
        expectedIssuer: grant.issuer,
        ...scope,
      });
    case "private_key_jwt":
      return new PrivateKeyJwtProvider({
        clientId: grant.clientId,
        privateKey: grant.privateKey,
        algorithm: grant.algorithm,
        clientName: CLIENT_NAME,
        expectedIssuer: grant.issuer,
        ...scope,
      });
    case "job": {
      const { issuer, grant_types_supported: supported } = metadata;
      if (supported !== undefined && !supported.includes(JWT_BEARER_GRANT))
        throw new ServerAccessError(
          `${hostOf(issuer)} takes no ID tokens of jobs (${JWT_BEARER_GRANT} is none of its grants): use "client_credentials", or a header.`,
        );
      if (mintIdToken === null)
        throw new ServerAccessError('There is no CI job whose ID token could be sent: "job" is for jobs.');
      const idToken = await mintIdToken(issuer, signal);
      onSecret(idToken);
      return jobProvider({ idToken, clientId: grant.clientId, issuer });
    }
  }
}

type JobToken = { readonly idToken: string; readonly clientId: string | null; readonly issuer: string };

/** Workload identity federation: the SDK has no provider of its own for it (2026-11-29). */
function jobProvider({ idToken, clientId, issuer }: JobToken): OAuthClientProvider {
  const unused = () => {
    throw new TypeError("A job's ID token is sent without a browser.");
  };
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [],
      grant_types: [JWT_BEARER_GRANT],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => (clientId === null ? undefined : { client_id: clientId, issuer }),
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: unused,
    saveCodeVerifier: unused,
    codeVerifier: unused,
    prepareTokenRequest: (scope) =>
      new URLSearchParams({
        grant_type: JWT_BEARER_GRANT,
        assertion: idToken,
        ...(scope === undefined || scope === "" ? {} : { scope }),
      }),
  };
}

function tokenOf(
  { access_token: accessToken, token_type: type, expires_in: seconds = DEFAULT_LIFE_SECONDS }: OAuthTokens,
  {
    issuer,
    begunAt,
    onSecret,
  }: { readonly issuer: string; readonly begunAt: number; readonly onSecret: (secret: string) => void },
): AccessToken {
  onSecret(accessToken);
  if (type.toLowerCase() !== "bearer" || !ACCESS_TOKEN.test(accessToken) || !(seconds > 0))
    throw new ServerAccessError(`${hostOf(issuer)} answered without a bearer token that can be used.`);
  return { accessToken, expiresAt: begunAt + Math.min(seconds, MAX_LIFE_SECONDS) * 1000 };
}

type Refused = {
  readonly options: ServerAccessOptions;
  readonly issuer: string;
  /** Null where none came. */
  readonly answer: Response | null;
  readonly nowMs: number;
};

/** Nothing that the authorization server said is in it but the code of its error: it may repeat what it was sent. */
function refusalOf(cause: unknown, { options, issuer, answer, nowMs }: Refused): Error {
  const host = hostOf(issuer);
  if (ServerAccessError.is(cause)) return cause;
  if (answer === null)
    return new ServerAccessError(`${host} was sent nothing: its metadata do not fit the credential.`, {
      cause,
    });
  const { status } = answer;
  if (status >= 500 || status === 429 || status === 408) {
    const retryAfterMs = parseRetryAfterMs(answer.headers.get("retry-after") ?? undefined, nowMs);
    return new ServerAccessError(`${host} gives no tokens now (${status}).`, {
      isTransient: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      cause,
    });
  }
  const code = cause instanceof OAuthError && /^[a-z_]{1,60}$/.test(cause.code) ? `, ${cause.code}` : "";
  const { type } = options.grant;
  const what = type === "job" ? "the job's ID token" : "the client";
  const then =
    type === "job"
      ? `Let it trust the CI's issuer and this repository, with the audience ${issuer}.`
      : "Compare client_id, its secret or key, and the scope.";
  return new ServerAccessError(`${host} refused ${what} (${status}${code}). ${then}`, { cause });
}

/** `told` where what came cannot be read; where nothing came, the reason of whoever sent the request. */
async function reading<Value>(told: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (ServerAccessError.is(cause)) throw cause;
    throw new ServerAccessError(told, { cause });
  }
}

/** Errors of the sender are told as they are: they say what is not reached, and what to do. */
function withTimeout({ fetch: send, signal }: Pick<ServerAccessOptions, "fetch" | "signal">): typeof fetch {
  return async (url, init) => {
    const limit = AbortSignal.timeout(REQUEST_MS);
    try {
      return await send(url, { ...init, signal: AbortSignal.any([signal, limit]) });
    } catch (cause) {
      signal.throwIfAborted();
      const host = new URL(url instanceof Request ? url.url : url).host;
      const why = limit.aborted
        ? `it did not answer within ${REQUEST_MS / 1000} s`
        : cause instanceof Error
          ? cause.message
          : "it failed";
      throw new ServerAccessError(`${host} cannot be asked for a token: ${why}`, {
        isTransient: limit.aborted || !isFinal(cause),
        cause,
      });
    }
  };
}

/** What the sender itself refuses stays refused. */
function isFinal(cause: unknown): boolean {
  return cause instanceof Error && "isFinal" in cause && cause.isFinal === true;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "the authorization server";
}
