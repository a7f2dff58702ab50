// The store on a PostgreSQL that is reached over a network which fails.

import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { StoreUnavailableError } from "../../../src/service/core/ports/store-unavailable.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { testDatabaseUrl } from "../../support/stores/postgres-schema.ts";
import { type StorePlace, storeKinds } from "../../support/stores/stores.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

const title =
  testDatabaseUrl === undefined
    ? "a store behind a failing network (skipped: TEST_DATABASE_URL is not set)"
    : "a store behind a failing network";

/** Shorter than an operator's, so that a test need not wait for long. */
const DEADLINES = {
  statement_timeout: "1000",
  lock_timeout: "500",
  idle_in_transaction_session_timeout: "1000",
};

describe.skipIf(testDatabaseUrl === undefined)(title, () => {
  let place: StorePlace;
  let proxy: TcpProxy;
  let url: URL;
  let store: Store;

  beforeEach(async () => {
    const kind = storeKinds.find(({ name }) => name === "PostgreSQL");
    if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
    place = await kind.make();
    url = new URL(place.settings.databaseUrl ?? "");
    proxy = await TcpProxy.start(url);
    proxy.standBefore(url);
    for (const [name, value] of Object.entries(DEADLINES)) url.searchParams.set(name, value);
    url.searchParams.set("application_name", place.settings.dataDir.slice(-20));
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
    await expect(inserting).rejects.toBeInstanceOf(StoreUnavailableError);
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

  it("leaves connections to others, however many wait for one account's lock", async () => {
    await insert("locked");
    const holder = await holdRow(place, "locked");
    let settled = 0;
    const waiting = Array.from({ length: 40 }, () =>
      store
        .transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }), { lane: "account:busy" })
        .catch(() => {})
        .finally(() => {
          settled += 1;
        }),
    );
    await lockWaiters(place, 1);
    for (const id of ["a", "b", "c"]) {
      await store.transact((tx) => tx.runs.insert(makeRun({ id, sessionId: id }), makeRunInput()), {
        lane: `account:${id}`,
      });
      expect((await store.committed.runs.find(id))?.id).toBe(id);
    }
    await store.ping();
    expect(settled).toBeLessThan(waiting.length);
    await holder.end();
    await Promise.all(waiting);
  });

  it("leaves connections to readers, however many transactions wait for locks", async () => {
    await insert("locked");
    const holder = await holdRow(place, "locked");
    const waiting = Array.from({ length: 40 }, (_, index) =>
      store
        .transact((tx) => tx.runs.update("locked", { holdMicroUsd: 1 }), { lane: `account:${index}` })
        .catch(() => {}),
    );
    await lockWaiters(place, 1);
    expect((await store.committed.runs.find("locked"))?.id).toBe("locked");
    await holder.end();
    await Promise.all(waiting);
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
    const sessions = () =>
      place.query(
        `select pid from pg_stat_activity where application_name = '${url.searchParams.get("application_name")}'`,
      );
    expect((await sessions()).length).toBeGreaterThan(3);
    await store.close();
    await proxy.allClosed();
    await noSession(sessions);
    store = await place.open();
  });
});

/** Locks a run, as another transaction would, until it is ended. */
async function holdRow(place: StorePlace, id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: place.settings.databaseUrl ?? "" });
  await client.connect();
  await client.query("begin");
  await client.query("select id from runs where id = $1 for update", [id]);
  return client;
}

/** Resolves once at least so many sessions wait for a lock in this schema. */
async function lockWaiters(place: StorePlace, count: number): Promise<void> {
  for (;;) {
    const [row] = await place.query(
      "select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like '%runs%'",
    );
    if (Number(row?.waiting) >= count) return;
  }
}

/** The server ends a session soon after its client has gone. */
async function noSession(sessions: () => Promise<unknown[]>): Promise<void> {
  while ((await sessions()).length > 0);
}
