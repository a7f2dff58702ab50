import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { accountWallet, GRANTS } from "../../../src/service/core/money/ledger.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";
import { onlyText, TurnReads } from "../../../src/service/store/turn-reads.ts";

const query = {};
const rows = [{ id: "one" }];
const wallet = accountWallet("one");

describe("reads of a turn", () => {
  it("are kept by query and value, until the turn ends", async () => {
    const reads = new TurnReads();
    reads.keep({ query, key: "one", rows, state: reads.state });
    expect(reads.find(query, "one")).toBe(rows);
    expect(reads.find(query, "other")).toBeUndefined();
    expect(reads.find({}, "one")).toBeUndefined();
    await setImmediate();
    expect(reads.find(query, "one")).toBeUndefined();
  });

  it("are forgotten at a commit, those that are still being read too", () => {
    const reads = new TurnReads();
    reads.keep({ query, key: "one", rows, state: reads.state });
    const { state } = reads;
    reads.forget();
    reads.keep({ query, key: "other", rows, state });
    expect(reads.find(query, "one")).toBeUndefined();
    expect(reads.find(query, "other")).toBeUndefined();
  });

  it("are those of queries with one short text", () => {
    expect(onlyText({ hash: "abc" })).toBe("abc");
    expect(onlyText({ id: 1 })).toBeNull();
    expect(onlyText({ copyId: "a", path: "b" })).toBeNull();
    expect(onlyText({ keys: "k".repeat(201) })).toBeNull();
  });
});

describe("a store on SQLite", () => {
  it("shows what this process or another one has committed, right after it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agent-service-test-"));
    const store = await openSqliteStore({ folder });
    const beside = await openSqliteStore({ folder, hold: "none" });
    const balance = async () => await store.committed.ledger.findBalance(wallet);
    expect(await Promise.all([balance(), balance()])).toEqual([null, null]);
    const written = store.transact((tx) => tx.ledger.open(wallet));
    await balance();
    await written;
    expect(await balance()).toBe(0);
    await beside.transact((tx) =>
      tx.ledger.post({
        ...{ id: "posting", at: 1, kind: "grant", from: GRANTS, to: wallet, microUsd: 5, runId: null },
      }),
    );
    expect(await balance()).toBe(5);
    await Promise.all([store.close(), beside.close()]);
    await rm(folder, { recursive: true });
  });
});
