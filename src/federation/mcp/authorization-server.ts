// The authorization server of an MCP server, as both say: found by RFC 9728, RFC 8414 and OpenID Connect Discovery, and what its answers
// mean. Every request goes through the sender that is given.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  OAuthError,
  type OAuthTokens,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { parseRetryAfterMs } from "../../base/backoff.ts";
import { type Challenge, ServerAccessError } from "./server-grant.ts";

const REQUEST_MS = 20_000;
const ACCESS_TOKEN = /^[\x21-\x7e]{1,16384}$/;

type AskedServer = {
  readonly serverUrl: string;
  /** The authorization server that is asked for. Null: the first that the server names. */
  readonly issuer: string | null;
  /** Checks each address itself, and follows no redirect. */
  readonly fetch: typeof fetch;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
};

export type FoundServer = {
  readonly metadata: AuthorizationServerMetadata;
  /** RFC 8707. */
  readonly resource: string;
  /** What the server asks for. */
  readonly scope: string | undefined;
};

/** Rejects with ServerAccessError. */
export async function discoverServer(
  options: AskedServer,
  challenge: Challenge | null,
): Promise<FoundServer> {
  const { serverUrl } = options;
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
  const issuer =
    options.issuer === null ? first : listed.find((one) => isSameIssuer(one, options.issuer ?? ""));
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
  return { metadata, resource: about.resource, scope: asked.scope ?? supported };
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

/** The bearer token of an answer, and for how long it is good: undefined where it does not say. */
export function bearerOf(
  { access_token: accessToken, token_type: type, expires_in: seconds }: OAuthTokens,
  issuer: string,
): { readonly accessToken: string; readonly seconds: number | undefined } {
  const isUsable = type.toLowerCase() === "bearer" && ACCESS_TOKEN.test(accessToken);
  if (!isUsable || (seconds !== undefined && !(seconds > 0)))
    throw new ServerAccessError(`${hostOf(issuer)} answered without a bearer token that can be used.`);
  return { accessToken, seconds };
}

/** The code of an error of RFC 6749; null where there is none. */
export function codeOf(cause: unknown): string | null {
  return cause instanceof OAuthError && /^[a-z_]{1,60}$/.test(cause.code) ? cause.code : null;
}

/** The error for an answer that may be another one later; null for every other. */
export function awayOf(
  answer: Response,
  { host, nowMs, cause }: { readonly host: string; readonly nowMs: number; readonly cause: unknown },
): ServerAccessError | null {
  const { status } = answer;
  if (status < 500 && status !== 429 && status !== 408) return null;
  const retryAfterMs = parseRetryAfterMs(answer.headers.get("retry-after") ?? undefined, nowMs);
  return new ServerAccessError(`${host} gives no tokens now (${status}).`, {
    isTransient: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause,
  });
}

/** `told` where what came cannot be read; where nothing came, the reason of whoever sent the request. */
export async function reading<Value>(told: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (ServerAccessError.is(cause)) throw cause;
    throw new ServerAccessError(told, { cause });
  }
}

/** Errors of the sender are told as they are: they say what is not reached, and what to do. */
export function withTimeout({ fetch: send, signal }: Pick<AskedServer, "fetch" | "signal">): typeof fetch {
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

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "the authorization server";
}
