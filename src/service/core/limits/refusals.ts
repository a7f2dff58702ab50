// Why a request is refused that would be accepted at another time. Pure.

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
