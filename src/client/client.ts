// The typed client: one method a route. No environment, no node: module; schemas load with the first answer.

import type { BackoffPolicy } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { CiRunPage } from "../contract/ci-run.ts";
import type { AudienceResponse, ExchangeResponse } from "../contract/exchange.ts";
import type { CancelRunResponse, Run, SubmitRunRequest } from "../contract/run.ts";
import { type FollowedRun, type FollowOptions, followRun } from "./follow.ts";
import { type Connection, type Credential, request, requestNothing } from "./request.ts";
import { CALL_RETRY, type RetryNotice, retrying } from "./retry.ts";
import { fetchTransport, type Transport } from "./transport.ts";

// What a program needs to name beside the client itself: this file is the package's entry.
export type { CiRunPage } from "../contract/ci-run.ts";
export type { AudienceResponse, ExchangeResponse } from "../contract/exchange.ts";
export type { CancelRunResponse, Run, SubmitRunRequest } from "../contract/run.ts";
export type { StoredRunEvent } from "../contract/run-event.ts";
export {
  ApiError,
  ClientError,
  ConnectionError,
  DecodeError,
  EventGapError,
  TimeoutError,
} from "./errors.ts";
export type { FollowedRun, FollowOptions } from "./follow.ts";
export type { Credential } from "./request.ts";
export type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** Beyond the time that the service was asked to wait. */
const LONG_POLL_MARGIN_MS = 15_000;

export type ClientOptions = {
  /** Where the service is, with or without a trailing slash; a path prefix is kept. */
  readonly baseUrl: string;
  /** The bearer token of each call, or null for none. A Credential can also refresh it. */
  readonly credential?: Credential | Credential["token"];
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly retry?: BackoffPolicy;
  readonly userAgent?: string;
  readonly onRetry?: (notice: RetryNotice) => void;
};

export type ExchangeOptions = {
  /** Mints a token. Called for every attempt: a token is spent by its first arrival. */
  readonly subjectToken: () => Promise<string>;
  readonly account?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type SubmitRunOptions = {
  readonly agentId: string;
  readonly body: SubmitRunRequest;
  /** With it the call is repeated on failure, and starts one run in all; without it, it is sent once. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** `replayed`: an earlier request with this key had started the run. */
export type SubmittedRun = { readonly runId: string; readonly sessionId: string; readonly replayed: boolean };

export type RunAddress = {
  readonly agentId: string;
  readonly runId: string;
  readonly signal?: AbortSignal | undefined;
};

export type ReadCiRunOptions = {
  readonly runId: string;
  /** The last `seq` that is known. */
  readonly after?: number;
  /** How long the service holds the answer back while there is no new event, 0 to 30. */
  readonly waitSeconds?: number;
  /** Events at most, 1 to 1000. */
  readonly limit?: number;
  readonly retry?: BackoffPolicy;
  readonly signal?: AbortSignal | undefined;
};

/** Each method rejects with ApiError, ConnectionError or DecodeError, or with the signal's reason. */
export type Client = {
  /** POST /v1/ci/oidc/exchange. Retried with a fresh token each time. */
  exchange(options: ExchangeOptions): Promise<ExchangeResponse>;
  /** DELETE /v1/ci/oidc/exchange: ends the credential. Safe to repeat. */
  revoke(options?: { signal?: AbortSignal }): Promise<void>;
  /** GET /v1/ci/oidc/audience: what a token must be minted for. */
  audience(options?: { signal?: AbortSignal }): Promise<AudienceResponse>;
  /** POST /v1/agents/{agentId}/runs. */
  submitRun(options: SubmitRunOptions): Promise<SubmittedRun>;
  /** GET /v1/agents/{agentId}/runs/{runId}. */
  getRun(options: RunAddress): Promise<Run>;
  /** POST /v1/agents/{agentId}/runs/{runId}/cancel. ApiError `run_finished` when it had ended. Safe to repeat. */
  cancelRun(options: RunAddress): Promise<CancelRunResponse>;
  /** GET /v1/ci/runs/{runId}: one page of events. */
  readCiRun(options: ReadCiRunOptions): Promise<CiRunPage>;
  /** Every event of a run from a cursor on, each once and in order, until the run has ended. */
  follow(options: FollowOptions): FollowedRun;
};

/** Makes a client. Opens nothing until a method is called. */
export function createClient(options: ClientOptions): Client {
  const connection = connect(options);
  const readCiRun = (page: ReadCiRunOptions) => readPage(connection, page);
  return {
    exchange: (exchange) => exchangeToken(connection, exchange),
    revoke: (call) =>
      requestNothing(connection, {
        method: "DELETE",
        path: "/v1/ci/oidc/exchange",
        effect: "repeatable",
        credential: "as-is",
        decoder: null,
        signal: call?.signal,
      }),
    audience: async (call) => {
      const answer = await request(connection, {
        method: "GET",
        path: "/v1/ci/oidc/audience",
        effect: "repeatable",
        credential: "none",
        decoder: async () => (await import("../contract/exchange.ts")).audienceResponseSchema,
        signal: call?.signal,
      });
      return answer.value;
    },
    submitRun: (run) => submit(connection, run),
    getRun: async (run) => {
      const answer = await request(connection, {
        method: "GET",
        path: runPath(run),
        effect: "repeatable",
        credential: "renewable",
        decoder: async () => (await import("../contract/run.ts")).runSchema,
        signal: run.signal,
      });
      return answer.value;
    },
    cancelRun: async (run) => {
      const answer = await request(connection, {
        method: "POST",
        path: `${runPath(run)}/cancel`,
        effect: "repeatable",
        credential: "renewable",
        decoder: async () => (await import("../contract/run.ts")).cancelRunResponseSchema,
        signal: run.signal,
      });
      return answer.value;
    },
    readCiRun,
    follow: (follow) => followRun({ ...connection, readCiRun }, follow),
  };
}

function connect(options: ClientOptions): Connection {
  const credential = options.credential ?? (() => null);
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    credential: typeof credential === "function" ? { token: credential } : credential,
    transport: options.transport ?? fetchTransport,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    retry: options.retry ?? CALL_RETRY,
    userAgent: options.userAgent ?? "agent-service-client",
    onRetry: options.onRetry,
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
      },
      effect: "once",
      credential: "none",
      decoder: async () => (await import("../contract/exchange.ts")).exchangeResponseSchema,
      signal,
    });
    return answer.value;
  });
}

async function submit(connection: Connection, options: SubmitRunOptions): Promise<SubmittedRun> {
  const { agentId, body, idempotencyKey, signal } = options;
  const { value, header } = await request(connection, {
    method: "POST",
    path: `/v1/agents/${encodeURIComponent(agentId)}/runs`,
    body,
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
    effect: (idempotencyKey ?? body.idempotency_key) === undefined ? "once" : "repeatable",
    credential: "renewable",
    decoder: async () => (await import("../contract/run.ts")).submitRunResponseSchema,
    signal,
  });
  const replayed = header("x-svc-idempotent-replay") === "true";
  return { runId: value.run_id, sessionId: value.session_id, replayed };
}

async function readPage(connection: Connection, options: ReadCiRunOptions): Promise<CiRunPage> {
  const { runId, after = 0, waitSeconds = 0, limit, retry, signal } = options;
  const { value } = await request(connection, {
    method: "GET",
    path: `/v1/ci/runs/${encodeURIComponent(runId)}`,
    query: { after, wait: waitSeconds, ...(limit === undefined ? {} : { limit }) },
    effect: "repeatable",
    credential: "renewable",
    decoder: async () => (await import("../contract/ci-run.ts")).ciRunPageSchema,
    timeoutMs: waitSeconds * 1000 + LONG_POLL_MARGIN_MS,
    ...(retry === undefined ? {} : { retry }),
    signal,
  });
  return value;
}

function runPath(run: RunAddress): string {
  return `/v1/agents/${encodeURIComponent(run.agentId)}/runs/${encodeURIComponent(run.runId)}`;
}
