// The store on a PostgreSQL that is reached over a network which fails.

import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { GRANTS } from "../../../src/service/core/money/ledger.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { StoreUnavailableError } from "../../../src/service/core/ports/store-unavailable.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

/** Shorter than an operator's, so that a test need not wait for long. */
const DEADLINES = {
  statement_timeout: "1000",
  lock_timeout: "500",
  idle_in_transaction_session_timeout: "1000",
};

describe("a store behind a failing network", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let proxy: TcpProxy;
  let url: URL;
  /** The application name of the store's connections, and of no others. */
  let label: string;
  let store: Store;

  beforeEach(async () => {
    const kind = postgresStore;
    if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
    place = await kind.make();
    url = new URL(place.settings.databaseUrl ?? "");
    proxy = await TcpProxy.start(url);
    proxy.standBefore(url);
    for (const [name, value] of Object.entries(DEADLINES)) url.searchParams.set(name, value);
    label = place.settings.dataDir.slice(-20);
    url.searchParams.set("application_name", label);
    store = await openPostgresStore({ url: url.href });
  });

  afterEach(async () => {
    await store.close();
    proxy.close();
    await place.remove();
  });

  const insert = (id: string) =>
    store.transact((tx) => tx.runs.insert(makeRun({ id, sessionId: id }), makeRunInput()));
  const idsOf = async (places: StorePlace = place) =>
    (await places.query("select id from runs order by id")).map(({ id }) => id);
  /** Several connections, idle. */
  const openConnections = () =>
    Promise.all(Array.from({ length: 6 }, () => store.transact((tx) => tx.runs.find("none"))));

  it("goes on by itself when its connections fall silent, idle ones and those at work", async () => {
    await openConnections();
    expect(proxy.open).toBeGreaterThan(3);
    const silent = proxy.trap("insert into", { when: "before", fails: "silence" });
    const inserting = insert("at-work");
    await silent;
    proxy.silence();
    const reading = Promise.all(Array.from({ length: 3 }, () => store.committed.runs.find("none")));
    expect(await reading).toEqual([null, null, null]);
    await inserting;
    await insert("afterwards");
    expect(await idsOf()).toEqual(["afterwards", "at-work"]);
  });

  it.each([
    ["before its first statement", "begin", "before", "reset"],
    ["in the middle of a message", "insert into", "within", "reset"],
    ["in the middle of an answer", "insert into", "answering", "reset"],
    ["in the middle of a message, silently", "insert into", "within", "silence"],
    ["while its answer comes back, silently", "insert into", "after", "silence"],
  ] as const)("repeats a transaction that is cut %s", async (_name, text, when, fails) => {
    const sprung = proxy.trap(text, { when, fails });
    await Promise.all([sprung, insert("once")]);
    expect(await idsOf()).toEqual(["once"]);
  });

  it.each([
    ["may have been committed", "after", ["unknown"]],
    ["was not committed", "within", []],
  ] as const)("does not repeat a commit without an answer: it %s", async (_name, when, stored) => {
    const sprung = proxy.trap("commit", { when, fails: "silence" });
    const inserting = insert("unknown");
    await sprung;
    await expect(inserting).rejects.toMatchObject({
      code: "store_unavailable",
      message: "The store cannot answer now: PostgreSQL does not answer",
    });
    // What was not committed is undone by the server, which frees its locks.
    await insert("other");
    expect(await idsOf()).toEqual(["other", ...stored]);
  });

  it("takes the locks from a node that has fallen silent", async () => {
    await insert("locked");
    const sprung = proxy.trap("commit", { when: "before", fails: "silence" });
    const silent = store.transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }));
    await sprung;
    const other = await place.open();
    await expect(silent).rejects.toBeInstanceOf(StoreUnavailableError);
    await other.transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }));
    await other.close();
  });

  it("answers that the store cannot answer when a lock is not to be had", async () => {
    await insert("locked");
    const holder = await holdRow(place, "locked");
    const waiting = store.transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }));
    await expect(waiting).rejects.toMatchObject({
      name: "Error",
      code: "store_unavailable",
      cause: { code: "55P03" },
    });
    await holder.end();
    await store.transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }));
  });

  it.each([
    ["others, however many wait for one account's lock", () => "account:busy"],
    ["readers, however many transactions wait for locks", (index: number) => `account:${index}`],
  ])("leaves connections to %s", async (_name, laneOf) => {
    await insert("locked");
    const holder = await holdRow(place, "locked");
    // They wait for as long as the lock is held.
    for (const name of Object.keys(DEADLINES)) url.searchParams.set(name, "60000");
    const patient = await openPostgresStore({ url: url.href });
    const waiting = Array.from({ length: 40 }, (_, index) =>
      patient
        .transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }), { lane: laneOf(index) })
        .catch(() => {}),
    );
    await untilTrue(
      place,
      `select count(*) >= 4 as is_so from pg_stat_activity where wait_event_type = 'Lock' and application_name = '${label}'`,
    );
    expect((await patient.committed.runs.find("locked"))?.id).toBe("locked");
    await patient.ping();
    if (laneOf(0) === laneOf(1)) {
      for (const id of ["a", "b", "c"])
        await patient.transact((tx) => tx.runs.insert(makeRun({ id, sessionId: id }), makeRunInput()), {
          lane: `account:${id}`,
        });
    }
    await holder.end();
    await Promise.all(waiting);
    await patient.close();
  });

  it("admits runs of other billing accounts, and reads, however many wait for accounts that are locked", async () => {
    for (const name of Object.keys(DEADLINES)) url.searchParams.set(name, "60000");
    const patient = await openPostgresStore({ url: url.href });
    const locked = Array.from({ length: 12 }, (_, index) => `free:locked-${index}`);
    for (const billingAccount of [...locked, "free:other"]) {
      await patient.transact(async (tx) => {
        await tx.ledger.open(billingAccount);
        const grant = {
          id: `grant ${billingAccount}`,
          at: 1,
          kind: "grant",
          from: GRANTS,
          runId: null,
        } as const;
        await tx.ledger.post({ ...grant, to: billingAccount, microUsd: 1_000_000 });
      });
    }
    const admit = (id: string, billingAccount: string) =>
      patient.transact(
        (tx) => {
          const run = makeRun({ id, sessionId: `session of ${id}`, billingAccount, holdMicroUsd: 5 });
          const hold = { id: `hold ${id}`, at: 5, billingAccount, microUsd: 5, runId: id };
          return tx.runs.admit({ run, input: makeRunInput(), hold, key: null });
        },
        { isOneWrite: true },
      );
    const holder = await hold(
      place,
      "update ledger_accounts set balance_micro_usd = 7 where id like 'free:locked-%'",
    );
    const waiting = locked.flatMap((account) => [
      admit(`${account} 1`, account),
      admit(`${account} 2`, account),
    ]);
    expect(await admit("with them", "free:other")).toBe("admitted");
    await untilTrue(
      place,
      `select count(*) >= 4 as is_so from pg_stat_activity where wait_event_type = 'Lock' and application_name = '${label}'`,
    );
    expect(await admit("after them", "free:other")).toBe("admitted");
    expect((await patient.committed.runs.find("after them"))?.id).toBe("after them");
    expect(await patient.committed.runs.find("free:locked-0 1")).toBeNull();
    await holder.query("commit");
    await holder.end();
    // What a wallet has left when its lock is free decides.
    expect((await Promise.all(waiting)).sort()).toEqual([
      ...locked.map(() => "admitted"),
      ...locked.map(() => "unpaid"),
    ]);
    await patient.close();
  });

  it("says when new connections are not answered either, and is there again afterwards", async () => {
    await openConnections();
    proxy.swallow();
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.committed.runs.find("none")).rejects.toBeInstanceOf(StoreUnavailableError);
    proxy.mend();
    await insert("afterwards");
    await store.ping();
  });

  it("closes while its statements hang, and leaves no connection open", async () => {
    await openConnections();
    proxy.swallow();
    const hanging = Promise.allSettled([store.committed.runs.find("none"), insert("hanging")]);
    await store.close();
    await proxy.allClosed();
    for (const { status } of await hanging) expect(status).toBe("rejected");
    store = await place.open();
  });

  it("works on a slow network", async () => {
    proxy.delay(30);
    await Promise.all(["a", "b", "c"].map(insert));
    expect(await idsOf()).toEqual(["a", "b", "c"]);
  });

  it("leaves no session on the server when it is closed", async () => {
    await openConnections();
    const sessions = `select count(*) as open, count(*) = 0 as is_so from pg_stat_activity where application_name = '${label}'`;
    expect(Number((await place.query(sessions))[0]?.open)).toBeGreaterThan(3);
    await store.close();
    await proxy.allClosed();
    // The server ends a session soon after its client has gone.
    await untilTrue(place, sessions);
    store = await place.open();
  });
});

/** Locks a run, as another transaction would, until it is ended. */
const holdRow = (place: StorePlace, id: string) =>
  hold(place, `select id from runs where id = '${id}' for update`);

/** Keeps the locks of a statement. */
async function hold(place: StorePlace, sql: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: place.settings.databaseUrl ?? "" });
  await client.connect();
  await client.query("begin");
  await client.query(sql);
  return client;
}

/** Asks until the answer is true. */
async function untilTrue(place: StorePlace, sql: string): Promise<void> {
  while ((await place.query(sql))[0]?.is_so !== true);
}
