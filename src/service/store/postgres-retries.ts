// Retries of statements when PostgreSQL fails, and for how long. What was not committed is repeated, what may have been
// committed is not.

import pg from "pg";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import { systemClock } from "../../base/clock.ts";
import type { StoreReader } from "../core/ports/store.ts";
import { StoreUnavailableError } from "../core/ports/store-unavailable.ts";
import { eachNoun } from "./each-noun.ts";
import { ConnectionLostError, STALE } from "./postgres-client.ts";

/** Serialization failure and deadlock: PostgreSQL has rolled the transaction back, and it can run again. */
const UNDONE = new Set(["40001", "40P01"]);
/** Shut down by an operator or a crash, still starting, out of connections, a session that held its locks for too long. */
const AWAY = new Set(["57P01", "57P02", "57P03", "53300", "08000", "08003", "08006", "25P03"]);
/** A lock or an answer took too long. The same would happen again right now. */
const LATE = new Set(["55P03", "57014"]);
/** About three seconds in total, which a request can wait. */
const RETRIES: BackoffPolicy = { attempts: 8, firstDelayMs: 25, maxDelayMs: 1_000 };
/** No attempt begins later than this. */
const CONNECT_WITHIN_MS = 4_000;
const WORK_WITHIN_MS = 10_000;

type Attempt = { isRepeatable: boolean };

export class PostgresRetries {
  isClosed = false;

  /** Connects, also to a database that is away for a moment. Rejects with a StoreUnavailableError. */
  async connected<Value>(connect: () => Promise<Value>): Promise<Value> {
    try {
      return await this.#repeat(connect, { isWorthIt: isWorthWaitingFor, withinMs: CONNECT_WITHIN_MS });
    } catch (cause) {
      throw new StoreUnavailableError(cause);
    }
  }

  /** Repeats work that a conflict or a lost connection undid. Rejects with a StoreUnavailableError, or as the work did. */
  async again<Value>(work: (attempt: Attempt) => Promise<Value>): Promise<Value> {
    let attempt: Attempt = { isRepeatable: true };
    const once = async () => {
      attempt = { isRepeatable: true };
      return await work(attempt);
    };
    const isWorthIt = (cause: unknown) =>
      hasState(cause, UNDONE) || hasState(cause, STALE) || (attempt.isRepeatable && isLoss(cause));
    try {
      return await this.#repeat(once, { isWorthIt, withinMs: WORK_WITHIN_MS });
    } catch (cause) {
      throw isLoss(cause) || hasState(cause, LATE) ? new StoreUnavailableError(cause) : cause;
    }
  }

  async #repeat<Value>(
    work: () => Promise<Value>,
    options: { isWorthIt(cause: unknown): boolean; withinMs: number },
  ): Promise<Value> {
    const begunAt = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (cause) {
        const delayMs = nextDelayMs(RETRIES, { attempt, random: 0.5 });
        if (delayMs === null || this.isClosed || !options.isWorthIt(cause)) throw cause;
        if (performance.now() - begunAt + delayMs > options.withinMs) throw cause;
        await systemClock.sleep(delayMs);
      }
    }
  }
}

/** Whether a database that refuses a connection like this may take it in a moment. */
export function isWorthWaitingFor(cause: unknown): boolean {
  return !(cause instanceof pg.DatabaseError) || hasState(cause, AWAY);
}

/** Reads of every noun that are repeated when their connection was lost. */
export function repeatingReads(queries: StoreReader, retries: PostgresRetries): StoreReader {
  return eachNoun(queries, (read) => retries.again(read));
}

/** Of an invalid value, of a constraint, and of a lock that is held for long. */
const OF_ITEMS = /^(?:22|23|55P03)/;

/** Whether a statement on many items was refused, and is undone, for what may lie in one of them. */
export function isOfItsItems(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && OF_ITEMS.test(cause.code ?? "");
}

function isLoss(cause: unknown): boolean {
  return cause instanceof ConnectionLostError || hasState(cause, AWAY);
}

function hasState(cause: unknown, states: ReadonlySet<string>): boolean {
  return cause instanceof pg.DatabaseError && cause.code !== undefined && states.has(cause.code);
}
