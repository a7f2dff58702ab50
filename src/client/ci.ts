// What a CI job asks for: the exchange of its identity, and the events of its run.

import type { BackoffPolicy } from "../base/backoff.ts";
import type { CiIdentity } from "../contract/ci/ci-identity.ts";
import type { CiRunPage } from "../contract/ci/ci-run.ts";
import type { AudienceResponse, ExchangeResponse } from "../contract/ci/exchange.ts";
import { type Connection, request, requestNothing, requestValue } from "./request.ts";
import { retrying } from "./retry.ts";

/** Beyond the time that the service was asked to wait. */
const LONG_POLL_MARGIN_MS = 15_000;

/** Ends a call that is under way: it rejects with the signal's reason. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

export type ExchangeOptions = CallOptions & {
  /** Mints a token. Called for every attempt: a token is spent by its first arrival. */
  readonly subjectToken: () => Promise<string>;
  readonly account?: string | undefined;
  /** The job's commit. Some providers' tokens name none. */
  readonly sha?: string | undefined;
};

export type ReadCiRunOptions = CallOptions & {
  readonly runId: string;
  /** The last `seq` that is known. */
  readonly after?: number;
  /** How long the service holds the answer back while there is no new event, 0 to 30. */
  readonly waitSeconds?: number;
  /** Events at most, 1 to 1000. */
  readonly limit?: number;
  readonly retry?: BackoffPolicy;
};

export type CiClient = {
  /** POST /v1/ci/oidc/exchange. Retried with a fresh token each time. */
  exchange(options: ExchangeOptions): Promise<ExchangeResponse>;
  /** DELETE /v1/ci/oidc/exchange: ends the credential. Safe to repeat. */
  revoke(options?: CallOptions): Promise<void>;
  /** GET /v1/ci/oidc/audience: what a token must be minted for. */
  audience(options?: CallOptions): Promise<AudienceResponse>;
  /** GET /v1/ci/identity: what the service has bound to this job's capability. */
  identity(options?: CallOptions): Promise<CiIdentity>;
  /** GET /v1/ci/runs/{runId}: one page of events. */
  readCiRun(options: ReadCiRunOptions): Promise<CiRunPage>;
};

export function ciClient(connection: Connection): CiClient {
  return {
    exchange: (options) => exchangeToken(connection, options),
    revoke: (options) =>
      requestNothing(connection, {
        method: "DELETE",
        path: "/v1/ci/oidc/exchange",
        effect: "repeatable",
        credential: "as-is",
        decoder: null,
        signal: options?.signal,
      }),
    audience: (options) =>
      requestValue(connection, {
        path: "/v1/ci/oidc/audience",
        credential: "none",
        decoder: async () => (await import("../contract/ci/exchange.ts")).audienceResponseSchema,
        signal: options?.signal,
      }),
    identity: (options) =>
      requestValue(connection, {
        path: "/v1/ci/identity",
        decoder: async () => (await import("../contract/ci/ci-identity.ts")).ciIdentitySchema,
        signal: options?.signal,
      }),
    readCiRun: (options) => readPage(connection, options),
  };
}

async function exchangeToken(connection: Connection, options: ExchangeOptions): Promise<ExchangeResponse> {
  const { signal } = options;
  return retrying({ ...connection, policy: connection.retry, signal }, async () => {
    const subjectToken = await options.subjectToken();
    const answer = await request(connection, {
      method: "POST",
      path: "/v1/ci/oidc/exchange",
      // The contract's words, written out: its schemas are not to load before this request is on its way.
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        subject_token: subjectToken,
        ...(options.account === undefined ? {} : { account: options.account }),
        ...(options.sha === undefined ? {} : { sha: options.sha }),
      },
      effect: "once",
      credential: "none",
      decoder: async () => (await import("../contract/ci/exchange.ts")).exchangeResponseSchema,
      signal,
    });
    return answer.value;
  });
}

async function readPage(connection: Connection, options: ReadCiRunOptions): Promise<CiRunPage> {
  const { runId, after = 0, waitSeconds = 0, limit, retry, signal } = options;
  return await requestValue(connection, {
    path: `/v1/ci/runs/${encodeURIComponent(runId)}`,
    query: { after, wait: waitSeconds, ...(limit === undefined ? {} : { limit }) },
    decoder: async () => (await import("../contract/ci/ci-run.ts")).ciRunPageSchema,
    timeoutMs: waitSeconds * 1000 + LONG_POLL_MARGIN_MS,
    ...(retry === undefined ? {} : { retry }),
    signal,
  });
}
