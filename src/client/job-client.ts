// The part of the client that a CI job needs, by itself: the Action carries no schema of any other route.

import type { BackoffPolicy, RetryNotice } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type CiClient, ciClient } from "./ci.ts";
import { type CommitClient, commitClient } from "./commits.ts";
import type { ApiConnection, Credential } from "./request.ts";
import { CALL_RETRY } from "./retry.ts";
import { type RunClient, runClient } from "./runs.ts";
import { fetchTransport, type Transport } from "./transport.ts";

/** How to reach the service, and as whom. */
export type ConnectOptions = {
  /** The address of the service, with or without a trailing slash; a path prefix is kept. */
  readonly baseUrl: string;
  /** The bearer token of each call, or what gives it, null for none. A Credential can also refresh it. */
  readonly credential?: string | Credential | Credential["token"];
  /** How requests are sent. Default: `fetch`. */
  readonly transport?: Transport;
  /** For delays and deadlines. Default: the machine's. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of delays. Default: `Math.random`. */
  readonly random?: () => number;
  /** The retries of calls that may be repeated. Default: 8 attempts, a little over a minute in all. */
  readonly retry?: BackoffPolicy;
  /** The header `User-Agent`. Default: `agent-service-client`. */
  readonly userAgent?: string;
  /** Told before each wait for another attempt. */
  readonly onRetry?: (notice: RetryNotice) => void;
};

/**
 * Each method rejects with ApiError, ConnectionError or DecodeError, or with the signal's reason. What may be sent
 * twice is retried.
 */
export type JobClient = {
  /** The exchange of a CI job's identity, and the events of its run. */
  readonly ci: CiClient;
  /** Commits that a job sends. */
  readonly commits: CommitClient;
  /** Runs: submit, follow, read, cancel. */
  readonly runs: RunClient;
};

/** Makes a client. Opens nothing until a method is called. */
export function createJobClient(options: ConnectOptions): JobClient {
  return jobClient(connect(options));
}

/** Makes the client of a connection. */
export function jobClient(connection: ApiConnection): JobClient {
  const ci = ciClient(connection);
  return { ci, commits: commitClient(connection), runs: runClient(connection, ci) };
}

/** The connection of these options, with the defaults filled in. */
export function connect(options: ConnectOptions): ApiConnection {
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    credential: credentialOf(options.credential ?? null),
    transport: options.transport ?? fetchTransport,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    retry: options.retry ?? CALL_RETRY,
    userAgent: options.userAgent ?? "agent-service-client",
    onRetry: options.onRetry,
  };
}

function credentialOf(credential: NonNullable<ConnectOptions["credential"]> | null): Credential {
  if (credential === null || typeof credential === "string") return { token: () => credential };
  return typeof credential === "function" ? { token: credential } : credential;
}
