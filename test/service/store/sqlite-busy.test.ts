// Another process writes to the SQLite store: transactions wait for it, and the event loop does not.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { StoreUnavailableError } from "../../../src/service/core/ports/store-unavailable.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";

let folder: string;
let store: Store;
let other: DatabaseSync;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqlite-busy-"));
  store = await openSqliteStore({ folder });
  other = new DatabaseSync(join(folder, "agent-service.sqlite"));
});

afterEach(async () => {
  other.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const insert = (id: string) => store.transact((tx) => tx.runs.insert(makeRun({ id }), makeRunInput()));

it("waits for the other's transaction while everything else goes on", async () => {
  other.exec("begin immediate");
  const inserting = insert("waits");
  // Reads are answered, and turns of the loop taken: otherwise the other transaction would not end here.
  for (let turn = 0; turn < 20; turn += 1) {
    await setImmediate();
    expect(await store.committed.runs.find("waits")).toBeNull();
  }
  other.exec("commit");
  await inserting;
  expect((await store.committed.runs.find("waits"))?.id).toBe("waits");
});

it("gives up after a while, with nothing changed", async () => {
  other.exec("begin immediate");
  const inserting = insert("late");
  await expect(inserting).rejects.toBeInstanceOf(StoreUnavailableError);
  other.exec("rollback");
  await insert("later");
  expect(await store.committed.runs.find("late")).toBeNull();
  expect((await store.committed.runs.find("later"))?.id).toBe("later");
});
