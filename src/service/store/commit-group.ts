// Transactions on the one writing connection of SQLite, one after the other, several to a commit and a write to disk.
// Why: docs/decisions/003-commit-groups-on-sqlite.md

import { fdatasync as fdatasyncLater, fstatSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../../base/clock.ts";
import type { StoreTransaction } from "../core/ports/store.ts";
import { isBusy } from "./storage-state.ts";

const fdatasync = promisify(fdatasyncLater);

const MAX_GROUP = 64;
/** The time that transactions wait for another process that writes, as an operator's command does. */
const MAX_BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 10;
/** The log's file grows by so much at once: what is written within a file is sooner on disk than what makes it longer. */
const LOG_STEP = Buffer.alloc(256 * 1024);

type Waiting = {
  readonly work: (transaction: StoreTransaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

export class CommitGroup {
  readonly #database: DatabaseSync;
  /** SQLite's write-ahead log, as a file. */
  readonly #log: number;
  /** Of its file, when it was last made longer. */
  #logBytes = 0;
  readonly #transaction: StoreTransaction;
  readonly #onCommit: () => void;
  readonly #control: ReturnType<typeof prepareControl>;
  /** Rows that were written on the connection, undone ones included. */
  #changes: number;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;

  /** `onCommit` is called when others can read what was committed. */
  constructor(options: {
    database: DatabaseSync;
    log: number;
    transaction: StoreTransaction;
    onCommit: () => void;
  }) {
    this.#database = options.database;
    this.#log = options.log;
    this.#transaction = options.transaction;
    this.#onCommit = options.onCommit;
    this.#control = prepareControl(options.database);
    this.#changes = this.#countChanges();
  }

  /** Resolves when everything that was committed until now is on disk, or was refused by it. */
  get synced(): Promise<void> | null {
    return this.#syncing;
  }

  run<Value>(work: (transaction: StoreTransaction) => Promise<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as Value), reject });
      this.#draining ??= this.#drain();
    });
  }

  async idle(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop: transactions of requests that have arrived in the meantime join the group.
      await setImmediate();
      await this.#commitGroup();
    }
    this.#draining = null;
  }

  async #commitGroup(): Promise<void> {
    const acknowledgements: (() => void)[] = [];
    const members: Waiting[] = [];
    try {
      await this.#begin();
      this.#growLog();
      while (members.length < MAX_GROUP) {
        const member = this.#waiting.shift();
        if (member === undefined) break;
        members.push(member);
        acknowledgements.push(await this.#runMember(member));
      }
      this.#control.commit.run();
      this.#onCommit();
      if (this.#hasChanged()) await this.#sync();
    } catch (cause) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("rollback");
      const failed = members.length > 0 ? members : this.#waiting.splice(0);
      for (const member of failed) member.reject(cause);
      return;
    }
    for (const acknowledge of acknowledgements) acknowledge();
  }

  async #begin(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS) {
      try {
        this.#control.begin.run();
        return;
      } catch (cause) {
        if (!isBusy(cause) || waitedMs >= MAX_BUSY_MS) throw cause;
        await systemClock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  /**
   * Adds zeros, which SQLite takes for the end of the log. Within a transaction, so that no other process writes there. Without
   * room for them, SQLite asks the disk itself.
   */
  #growLog(): void {
    try {
      const { size } = fstatSync(this.#log);
      if (size === this.#logBytes) return;
      this.#logBytes = size;
      this.#logBytes += writeSync(this.#log, LOG_STEP, 0, LOG_STEP.length, size);
    } catch {
      // What the disk refuses here, it refuses SQLite too.
    }
  }

  /** What was only read, or refused, leaves nothing for the disk: what it read was there before its group began. */
  #hasChanged(): boolean {
    const before = this.#changes;
    this.#changes = this.#countChanges();
    return this.#changes !== before;
  }

  #countChanges(): number {
    return Number(this.#control.changes.get()?.changes);
  }

  /** Writes the log to disk in another thread: requests are served meanwhile. */
  async #sync(): Promise<void> {
    const written = fdatasync(this.#log);
    const settled = written.catch(() => {});
    this.#syncing = settled;
    try {
      await written;
    } finally {
      if (this.#syncing === settled) this.#syncing = null;
    }
  }

  async #runMember(member: Waiting): Promise<() => void> {
    this.#control.save.run();
    try {
      const value = await member.work(this.#transaction);
      this.#control.release.run();
      return () => member.resolve(value);
    } catch (cause) {
      // A full disk has undone the whole transaction.
      if (!this.#database.isTransaction) throw cause;
      this.#database.exec("rollback to member; release member");
      return () => member.reject(cause);
    }
  }
}

/** Prepared, since they run with every member. */
function prepareControl(database: DatabaseSync) {
  return {
    begin: database.prepare("begin immediate"),
    commit: database.prepare("commit"),
    save: database.prepare("savepoint member"),
    release: database.prepare("release member"),
    changes: database.prepare("select total_changes() as changes"),
  };
}
