// The first connection to PostgreSQL: what it waits for, and what it says when there is none to be had.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OperatorError } from "../../../src/base/operator-error.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../../src/service/store/postgres.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

describe("opening a store on PostgreSQL", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let proxy: TcpProxy;
  let url: URL;

  beforeEach(async () => {
    const kind = postgresStore;
    if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
    place = await kind.make();
    url = new URL(place.settings.databaseUrl ?? "");
    proxy = await TcpProxy.start(url);
    proxy.standBefore(url);
    url.password = "hunter2";
  });

  afterEach(async () => {
    proxy.close();
    await place.remove();
  });

  const refusal = async (options: Partial<PostgresStoreOptions> = {}): Promise<string> => {
    const opened = openPostgresStore({ url: url.href, waitMs: 0, ...options });
    const cause: unknown = await opened.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(cause instanceof OperatorError)) throw new Error(`That is not for an operator: ${String(cause)}`);
    expect(cause.message).not.toContain("hunter2");
    return cause.message;
  };

  it("waits for a database that is away, and says so", async () => {
    proxy.cut();
    const told: [string, number][] = [];
    const waiting = Promise.withResolvers<void>();
    const opening = openPostgresStore({
      url: url.href,
      waitMs: 60_000,
      onWait: (reason, leftSeconds) => {
        told.push([reason, leftSeconds]);
        waiting.resolve();
      },
    });
    await waiting.promise;
    proxy.mend();
    const store = await opening;
    expect(await store.committed.accounts.count()).toBe(0);
    expect(told).toEqual([["connection reset (ECONNRESET)", expect.any(Number)]]);
    await store.close();
  });

  it("does not wait for longer than it may, and says which database it is", async () => {
    proxy.cut();
    expect(await refusal({ waitMs: 400 })).toBe(
      "PostgreSQL at DATABASE_URL (host 127.0.0.1) did not answer within 0.4 s: connection reset (ECONNRESET). Start it, or correct DATABASE_URL.",
    );
    expect(proxy.open).toBe(0);
  });

  it("stops waiting when it is told to", async () => {
    proxy.cut();
    const stop = new AbortController();
    const opening = openPostgresStore({
      url: url.href,
      waitMs: 60_000,
      onWait: () => stop.abort(new Error("enough")),
      signal: stop.signal,
    });
    await expect(opening).rejects.toThrow("enough");
  });

  it.each([
    [
      "a database that does not exist",
      (given: URL) => {
        given.pathname = "/nowhere";
      },
      'refuses this service: database "nowhere" does not exist. Correct DATABASE_URL.',
    ],
    [
      "a host that does not exist",
      (given: URL) => {
        given.host = "nowhere.invalid";
      },
      "(host nowhere.invalid) does not answer: no such host (ENOTFOUND). Start it, or correct DATABASE_URL.",
    ],
    [
      "a certificate that is not there",
      (given: URL) => given.searchParams.set("sslrootcert", "/nowhere.pem"),
      "DATABASE_URL has a parameter that cannot be used: ENOENT: no such file or directory, open '/nowhere.pem'",
    ],
    [
      "a schema that does not exist",
      (given: URL) => given.searchParams.set("options", "-c search_path=nowhere"),
      "DATABASE_URL names a search_path without a schema that exists. Make the schema, or correct the search_path.",
    ],
  ])("says in one sentence that the URL names %s", async (_name, spoil, said) => {
    spoil(url);
    expect(await refusal()).toContain(said);
  });

  it("waits for a connection where the server has none left", async () => {
    const role = `limited_${randomBytes(4).toString("hex")}`;
    const [row] = await place.query("select current_schema() as schema");
    await place.query(`create role ${role} login password 'hunter2' connection limit 1`);
    await place.query(`grant all on schema ${String(row?.schema)} to ${role}`);
    await place.query(`grant all on all tables in schema ${String(row?.schema)} to ${role}`);
    url.username = role;
    const only = new pg.Client({ connectionString: url.href });
    await only.connect();
    const full = `too many connections for role "${role}"`;
    expect(await refusal()).toContain(`does not answer: ${full}.`);
    const told: string[] = [];
    const store = await openPostgresStore({
      url: url.href,
      waitMs: 60_000,
      onWait: (reason) => {
        told.push(reason);
        void only.end();
      },
    });
    expect(told).toEqual([full]);
    // Later on, too: the second of two reads finds no connection until the first is done.
    expect(await Promise.all([1, 2].map(() => store.committed.accounts.count()))).toEqual([0, 0]);
    await store.close();
    await proxy.allClosed();
    await place.query(`drop owned by ${role}`);
    await place.query(`drop role ${role}`);
  });
});
