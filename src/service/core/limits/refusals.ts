// Why a request is refused that would be accepted at another time, and what its caller is told. Pure.

import type { ProblemsOf } from "../ports/problem.ts";

export type RateRefusal = {
  readonly reason: "rate_limited";
  readonly scope: string;
  readonly retryAfterMs: number;
};

export type SocketRefusal = { readonly reason: "sockets_reached"; readonly allowed: number };

/** This node has as much to do as it takes. */
export type OverloadRefusal = {
  readonly reason: "overloaded";
  readonly what:
    | "requests"
    | "polls"
    | "sockets"
    | "uploads"
    | "owner_uploads"
    | "repository_uploads"
    | "merges";
  readonly allowed: number;
};

export type CapacityRefusal =
  | { readonly reason: "capacity_reached"; readonly queued: number; readonly allowed: number }
  | { readonly reason: "concurrency_reached"; readonly inFlight: number; readonly allowed: number };

const overloads = {
  requests: "requests at work",
  polls: "requests that wait for an event",
  sockets: "open sockets",
  uploads: "commits that it checks",
  owner_uploads: "commits of this owner that it checks",
  repository_uploads: "commit of this repository that it checks",
  merges: "merges that wait",
} as const;

export const limitProblems: ProblemsOf<RateRefusal | SocketRefusal | CapacityRefusal | OverloadRefusal> = {
  rate_limited: ({ scope, retryAfterMs }) => ({
    status: 429,
    code: "rate_limited",
    message: `Too many requests from this ${scope}. Wait and try again.`,
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  }),
  sockets_reached: ({ allowed }) => ({
    status: 429,
    code: "capacity_reached",
    message: `${allowed} sockets are open with credentials of this account or repository, and no more may be. Close one.`,
    retryAfterSeconds: 10,
  }),
  overloaded: ({ what, allowed }) => ({
    status: 503,
    code: "overloaded",
    message: `This node has ${allowed} ${overloads[what]}, and takes no more now. Try again in a moment.`,
    retryAfterSeconds: 2,
  }),
  capacity_reached: ({ queued, allowed }) => ({
    status: 429,
    code: "capacity_reached",
    message: `${queued} runs wait already, ${allowed} may. Try again later.`,
    retryAfterSeconds: 10,
  }),
  concurrency_reached: ({ inFlight, allowed }) => ({
    status: 429,
    code: "concurrency_reached",
    message: `${inFlight} runs of this account are in flight, its plan allows ${allowed}. Try again when one has ended.`,
    retryAfterSeconds: 10,
  }),
};
