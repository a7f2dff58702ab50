// Refusals of a request that would be accepted at another time, and their problems. Pure.

import type { ProblemTable, RefusalOf } from "../ports/problem.ts";

const overloads = {
  requests: "requests at work",
  polls: "requests that wait for an event",
  sockets: "open sockets",
  uploads: "commits that it checks",
  owner_uploads: "commits of this owner that it checks",
  repository_uploads: "commit of this repository that it checks",
  merges: "merges that wait",
  fetches: "fetches by git that wait",
  account_fetches: "fetches by git of this account at work or waiting",
} as const;

type Overload = { what: keyof typeof overloads; allowed: number };

export const limitProblems = {
  rate_limited: ({ scope, retryAfterMs }: { scope: string; retryAfterMs: number }) => ({
    status: 429,
    code: "rate_limited",
    message: `Too many requests from this ${scope}. Wait and try again.`,
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  }),
  sockets_reached: ({ allowed }: { allowed: number }) => ({
    status: 429,
    code: "capacity_reached",
    message: `${allowed} sockets, or streams of events, are open with credentials of this account or repository, and no more may be. Close one.`,
    retryAfterSeconds: 10,
  }),
  overloaded: ({ what, allowed }: Overload) => ({
    status: 503,
    code: "overloaded",
    message: `This node has ${allowed} ${overloads[what]}, and takes no more now. Try again in a moment.`,
    retryAfterSeconds: 2,
  }),
  capacity_reached: ({ queued, allowed }: { queued: number; allowed: number }) => ({
    status: 429,
    code: "capacity_reached",
    message: `${queued} runs wait already, ${allowed} may. Try again later.`,
    retryAfterSeconds: 10,
  }),
  concurrency_reached: ({ inFlight, allowed }: { inFlight: number; allowed: number }) => ({
    status: 429,
    code: "concurrency_reached",
    message: `${inFlight} runs of this account are in flight, its plan allows ${allowed}. Try again when one has ended.`,
    retryAfterSeconds: 10,
  }),
} satisfies ProblemTable;

export type RateRefusal = RefusalOf<typeof limitProblems, "rate_limited">;

export type SocketRefusal = RefusalOf<typeof limitProblems, "sockets_reached">;

/** This node has as much to do as it takes. */
export type OverloadRefusal = RefusalOf<typeof limitProblems, "overloaded">;

export type CapacityRefusal = RefusalOf<typeof limitProblems, "capacity_reached" | "concurrency_reached">;
