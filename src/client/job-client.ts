// The part of the client that a CI job needs, by itself: the Action carries no schema of any other route.

import type { BackoffPolicy } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type CiClient, ciClient } from "./ci.ts";
import { type FollowedRun, type FollowOptions, followRun } from "./follow.ts";
import type { Connection, Credential } from "./request.ts";
import { CALL_RETRY, type RetryNotice } from "./retry.ts";
import { type RunClient, runClient } from "./runs.ts";
import { fetchTransport, type Transport } from "./transport.ts";

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

/**
 * Each method rejects with ApiError, ConnectionError or DecodeError, or with the signal's reason. What may be sent
 * twice is retried.
 */
export type JobClient = CiClient &
  RunClient & {
    /** Every event of a run from a cursor on, each once and in order, until the run has ended. */
    follow(options: FollowOptions): FollowedRun;
  };

/** Makes a client. Opens nothing until a method is called. */
export function createJobClient(options: ClientOptions): JobClient {
  return jobClient(connect(options));
}

export function jobClient(connection: Connection): JobClient {
  const ci = ciClient(connection);
  return {
    ...ci,
    ...runClient(connection),
    follow: (follow) => followRun({ ...connection, readCiRun: ci.readCiRun }, follow),
  };
}

export function connect(options: ClientOptions): Connection {
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
