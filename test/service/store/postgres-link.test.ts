// The signals between nodes, over a network that fails.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Logger } from "../../../src/base/log.ts";
import type { NodeLink } from "../../../src/service/core/runs/node-link.ts";
import { openPostgresLink } from "../../../src/service/store/postgres-link.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

const noLog: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => noLog };

/** What a link receives, awaited one by one. */
class Inbox {
  readonly all: string[] = [];
  /** As who waits on a node. */
  readonly waitedFor = new Set<string>();
  #wake = () => {};

  add(signal: string): void {
    this.all.push(signal);
    this.#wake();
  }

  async has(signal: string): Promise<void> {
    while (!this.all.includes(signal)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe("a link between nodes", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let proxy: TcpProxy;
  let near: NodeLink;
  let far: NodeLink;
  let inbox: Inbox;

  beforeEach(async () => {
    const kind = postgresStore;
    if (kind === undefined) throw new Error("TEST_DATABASE_URL is not set.");
    place = await kind.make();
    const url = new URL(place.settings.databaseUrl ?? "");
    inbox = new Inbox();
    near = await open(url, new Inbox());
    proxy = await TcpProxy.start(url);
    proxy.standBefore(url);
    far = await open(url, inbox);
  });

  afterEach(async () => {
    await Promise.all([near.close(), far.close()]);
    await proxy.allClosed();
    proxy.close();
    await place.remove();
  });

  const open = (url: URL, to: Inbox) =>
    openPostgresLink({
      url: url.href,
      onSignal: (signal, runId) => to.add(`${signal} ${runId}`),
      onReconnect: () => to.add("reconnected"),
      onFollowed: (id) => to.add(`moved ${id}`),
      waitedFor: () => to.waitedFor,
      log: noLog,
      random: () => 0,
    });

  it.each([
    ["is reset", () => proxy.cut()],
    ["falls silent", () => proxy.silence()],
    ["falls silent while new connections are swallowed", () => proxy.swallow()],
  ])("finds out by itself that its connection %s, connects again and says so", async (_name, fail) => {
    near.publish("queued", "before");
    await inbox.has("queued before");
    fail();
    proxy.mend();
    await inbox.has("reconnected");
    near.publish("queued", "after");
    await inbox.has("queued after");
    expect(inbox.all).toEqual(["queued before", "reconnected", "queued after"]);
  });

  it("hears nothing of its own signals, also on its second connection", async () => {
    proxy.cut();
    proxy.mend();
    await inbox.has("reconnected");
    far.publish("queued", "own");
    near.publish("queued", "other");
    await inbox.has("queued other");
    expect(inbox.all).toEqual(["reconnected", "queued other"]);
  });

  it("carries many signals at once, each to its own listeners and once", async () => {
    const runs = Array.from({ length: 450 }, (_, index) => `01a20430-7d5d-76f9-a33b-${index}`);
    for (const run of runs) far.follow(run);
    for (const run of runs) await inbox.has(`moved ${run}`);
    inbox.all.length = 0;
    for (const run of [...runs, ...runs]) near.publish("moved", run);
    near.publish("queued", "a");
    near.publish("nudged", "a");
    await inbox.has("nudged a");
    expect(inbox.all.toSorted()).toEqual(
      [...runs.map((run) => `moved ${run}`), "queued a", "nudged a"].toSorted(),
    );
  });

  it("hears of what moves only what it follows", async () => {
    far.follow("a");
    await inbox.has("moved a");
    inbox.all.length = 0;
    for (const run of ["b", "c", "a"]) near.publish("moved", run);
    near.publish("queued", "last");
    await inbox.has("queued last");
    expect(inbox.all).toEqual(["moved a", "queued last"]);
  });

  it("hears on its next connection what is waited for then", async () => {
    inbox.waitedFor.add("a");
    proxy.cut();
    proxy.mend();
    await inbox.has("reconnected");
    await inbox.has("moved a");
    inbox.all.length = 0;
    near.publish("moved", "a");
    await inbox.has("moved a");
  });

  it("closes while its connection is silent", async () => {
    proxy.silence();
    far.publish("moved", "unheard");
    await far.close();
    await proxy.allClosed();
  });
});
