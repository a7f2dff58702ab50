// Access tokens for one MCP server, from the authorization server that it names: found by RFC 9728 and RFC 8414, asked by the SDK, with
// one grant. A refusal is final: neither another grant nor another authorization server is tried.
// Specification 2026-07-28, extensions io.modelcontextprotocol/oauth-client-credentials and io.modelcontextprotocol/auth/wif.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import {
  type AuthorizationServerMetadata,
  ClientCredentialsProvider,
  fetchToken,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/client";
import type { RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { JWT_BEARER_GRANT } from "../../contract/ci/exchange.ts";
import type { AccessToken } from "../provider.ts";
import { openRenewedToken, type RenewedToken } from "../renewed-token.ts";
import {
  awayOf,
  bearerOf,
  codeOf,
  discoverServer,
  type FoundServer,
  hostOf,
  withTimeout,
} from "./authorization-server.ts";
import {
  type Challenge,
  type MintIdToken,
  ServerAccessError,
  type ServerGrant,
  type ServerToken,
} from "./server-grant.ts";

/** Where an answer does not say it. */
const DEFAULT_LIFE_SECONDS = 3600;
const MAX_LIFE_SECONDS = 24 * 3600;
const CLIENT_NAME = "agent-service";

type ServerAccessOptions = {
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

type ServerAccess = ServerToken &
  Pick<RenewedToken, "current" | "renewalInMs"> & {
    /** Notes what a server's answer says of its authorization, before a token is asked for. */
    heed(challenge: Challenge): void;
  };

/** Asks for nothing until a token is needed. */
export function openServerAccess(options: ServerAccessOptions): ServerAccess {
  const { clock, random, onRetry, signal } = options;
  let challenge: Challenge | null = null;
  let found: FoundServer | null = null;
  const exchange = async (): Promise<AccessToken> => {
    found ??= await discoverServer({ ...options, issuer: options.grant.issuer }, challenge);
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

async function requestToken(options: ServerAccessOptions, found: FoundServer): Promise<AccessToken> {
  const { clock, onSecret, signal } = options;
  const { metadata, resource } = found;
  const scope = options.grant.scope ?? found.scope;
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
  onSecret(tokens.access_token);
  const { accessToken, seconds } = bearerOf(tokens, issuer);
  const lifeSeconds = Math.min(seconds ?? DEFAULT_LIFE_SECONDS, MAX_LIFE_SECONDS);
  return { accessToken, expiresAt: now + lifeSeconds * 1000 };
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
  const away = awayOf(answer, { host, nowMs, cause });
  if (away !== null) return away;
  const { status } = answer;
  const code = codeOf(cause);
  const { type } = options.grant;
  const what = type === "job" ? "the job's ID token" : "the client";
  const then =
    type === "job"
      ? `Let it trust the CI's issuer and this repository, with the audience ${issuer}.`
      : "Compare client_id, its secret or key, and the scope.";
  return new ServerAccessError(
    `${host} refused ${what} (${status}${code === null ? "" : `, ${code}`}). ${then}`,
    { cause },
  );
}
