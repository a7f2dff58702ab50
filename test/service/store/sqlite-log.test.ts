// SQLite's log on the disk: its file grows in steps, and what was committed is read back from it after a crash, whoever wrote it.

import { cpSync, rmSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";

const FILE = "agent-service.sqlite";
const STEP_BYTES = 256 * 1024;
const COMMITS = 60;
const OTHER_BYTES = 100_000;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqlite-log-"));
  store = await openSqliteStore({ folder: join(folder, "data") });
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const insert = (id: string) => store.transact((tx) => tx.runs.insert(makeRun({ id }), makeRunInput()));
const logBytes = () => statSync(join(folder, "data", `${FILE}-wal`)).size;

/** What the file holds for a process that finds it as it is now. */
function afterCrash(): { runs: number; others: number; integrity: string } {
  cpSync(join(folder, "data"), join(folder, "crashed"), { recursive: true });
  rmSync(join(folder, "crashed", `${FILE}-shm`), { force: true });
  const found = new DatabaseSync(join(folder, "crashed", FILE));
  const count = (table: string) => Number(found.prepare(`select count(*) as rows from ${table}`).get()?.rows);
  const integrity = String(found.prepare("pragma integrity_check").get()?.integrity_check);
  const rows = { runs: count("runs"), others: count("others"), integrity };
  found.close();
  return rows;
}

it("is made longer in steps, beside a process that writes to it, too, and has all that was committed", async () => {
  const other = new DatabaseSync(join(folder, "data", FILE));
  other.exec("create table others (content blob); pragma busy_timeout = 5000");
  const sizes = new Set<number>();
  for (let commit = 1; commit <= COMMITS; commit += 1) {
    await insert(`run-${commit}`);
    sizes.add(logBytes());
    if (commit % 5 === 0) other.exec(`insert into others values (randomblob(${OTHER_BYTES}))`);
  }
  other.close();
  expect(logBytes()).toBeGreaterThan(STEP_BYTES);
  // Each commit alone would have made it longer.
  expect(sizes.size).toBeLessThan(COMMITS / 2);
  expect(afterCrash()).toEqual({ runs: COMMITS, others: COMMITS / 5, integrity: "ok" });
});
