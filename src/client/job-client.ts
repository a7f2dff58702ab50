// The part of the client that a CI job needs, by itself: the Action carries no schema of any other route.

import type { BackoffPolicy, RetryNotice } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type CiClient, ciClient } from "./ci.ts";
import { type CommitClient, commitClient } from "./commits.ts";
import type { ApiConnection, Credential } from "./request.ts";
import { CALL_RETRY } from "./retry.ts";
import { type RunClient, runClient } from "./runs.ts";
import { fetchTransport, type Transport } from "./transport.ts";

export type ConnectOptions = {
  /** The address of the service, with or without a trailing slash; a path prefix is kept. */
  readonly baseUrl: string;
  /** The bearer token of each call, or what gives it, null for none. A Credential can also refresh it. */
  readonly credential?: string | Credential | Credential["token"];
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly retry?: BackoffPolicy;
  readonly userAgent?: string;
  readonly onRetry?: (notice: RetryNotice) => void;
};

/**
 * Each method rejects with ApiError, ConnectionError or DecodeError, or with the signal's reason. What may be sent
 * twice is retried.
 */
export type JobClient = {
  readonly ci: CiClient;
  readonly commits: CommitClient;
  readonly runs: RunClient;
};

/** Makes a client. Opens nothing until a method is called. */
export function createJobClient(options: ConnectOptions): JobClient {
  return jobClient(connect(options));
}

export function jobClient(connection: ApiConnection): JobClient {
  const ci = ciClient(connection);
  return { ci, commits: commitClient(connection), runs: runClient(connection, ci) };
}

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
