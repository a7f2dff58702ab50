// The state of the storage after a failed write, and whether there has been room again since.

import { errorCode } from "../../base/error-code.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import { StoreUnavailableError } from "../core/ports/store-unavailable.ts";

/** https://www.sqlite.org/rescode.html: the lowest byte of a code is its kind. */
const SQLITE_KIND = 0xff;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const POSTGRES_DISK_FULL = "53100";

/** The error of SQLite or PostgreSQL as the core knows it. Anything else as it is. */
export function storageErrorOf(cause: unknown): unknown {
  if (errorCode(cause) === POSTGRES_DISK_FULL) return new StorageFullError(cause);
  const kind = sqliteKindOf(cause);
  if (kind === SQLITE_FULL || kind === SQLITE_IOERR) return new StorageFullError(cause);
  return kind === SQLITE_BUSY ? new StoreUnavailableError(cause) : cause;
}

/** Whether another connection holds what SQLite wants to write. */
export function isBusy(cause: unknown): boolean {
  return sqliteKindOf(cause) === SQLITE_BUSY;
}

function sqliteKindOf(cause: unknown): number | null {
  const isNumbered = cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number";
  return isNumbered ? Number(cause.errcode) & SQLITE_KIND : null;
}

export class StorageState {
  #isFull = false;

  /** Rejects as `write` does, with a StorageFullError where that is what it means. */
  async watch<Value>(write: () => Promise<Value>): Promise<Value> {
    try {
      return await write();
    } catch (cause) {
      const error = storageErrorOf(cause);
      if (error instanceof StorageFullError) this.#isFull = true;
      throw error;
    }
  }

  /** Once a write has found no room: rejects until `probe`, which writes and takes it back, finds some. */
  async check(probe: () => Promise<void>): Promise<void> {
    if (!this.#isFull) return;
    await probe().catch((cause: unknown) => {
      throw cause instanceof StorageFullError ? cause : new StorageFullError(cause);
    });
    this.#isFull = false;
  }
}
