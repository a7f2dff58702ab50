// The limit of open sockets of each account, or of each repository's jobs, on this node.

import type { SocketRefusal } from "../../core/limits/refusals.ts";
import type { StreamReader } from "../../core/runs/read-run.ts";
import { callerKey } from "../shared/admit-caller.ts";

export class ConnectionLimit {
  readonly #taken = new Map<string, number>();
  readonly #allowed: number;

  constructor(allowed: number) {
    this.#allowed = allowed;
  }

  /** Why this caller may open no further socket; null when it may. */
  refusalOf(caller: StreamReader): SocketRefusal | null {
    const taken = this.#taken.get(callerKey(caller)) ?? 0;
    return taken < this.#allowed ? null : { reason: "sockets_reached", allowed: this.#allowed };
  }

  /** A socket that has no slot yet. */
  newcomer(): ConnectionSlot {
    return new ConnectionSlot(this);
  }

  move(from: string | null, to: string | null): void {
    if (from !== null) this.#put(from, -1);
    if (to !== null) this.#put(to, 1);
  }

  #put(key: string, change: number): void {
    const taken = (this.#taken.get(key) ?? 0) + change;
    if (taken > 0) this.#taken.set(key, taken);
    else this.#taken.delete(key);
  }
}

/** The slot of one socket, which its credential's holder takes. */
export class ConnectionSlot {
  readonly #connectionLimit: ConnectionLimit;
  #key: string | null = null;

  constructor(connectionLimit: ConnectionLimit) {
    this.#connectionLimit = connectionLimit;
  }

  /** Takes a slot for the caller, in the place of an earlier one. Null when there was one. */
  take(caller: StreamReader): SocketRefusal | null {
    const key = callerKey(caller);
    if (key === this.#key) return null;
    const refusal = this.#connectionLimit.refusalOf(caller);
    if (refusal !== null) return refusal;
    this.#connectionLimit.move(this.#key, key);
    this.#key = key;
    return null;
  }

  leave(): void {
    this.#connectionLimit.move(this.#key, null);
    this.#key = null;
  }
}
