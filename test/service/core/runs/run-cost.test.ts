// What a run asks of the store: counted, so that it does not grow unnoticed.

import { describe, expect, it } from "vitest";
import type { Store, StoreReader, TransactOptions } from "../../../../src/service/core/ports/store.ts";
import { readEventPage } from "../../../../src/service/core/runs/read-run.ts";
import { noopBackend } from "../../../../src/service/executor/backends/noop.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

/** Transactions and reads of committed state, as they are asked for. */
class Count {
  writes: (TransactOptions | undefined)[] = [];
  reads: string[] = [];

  wrap(store: Store): Store {
    return {
      ...store,
      committed: this.#counted(store.committed),
      transact: (work, options) => {
        this.writes.push(options);
        return store.transact(work, options);
      },
    };
  }

  #counted(reader: StoreReader): StoreReader {
    return new Proxy(reader, {
      get: (nouns, noun: keyof StoreReader) =>
        new Proxy(nouns[noun], {
          get: (methods, name: string) => {
            const read: unknown = Reflect.get(methods, name);
            if (typeof read !== "function") return read;
            return (...query: unknown[]) => {
              this.reads.push(`${noun}.${name}`);
              return read.apply(methods, query);
            };
          },
        }),
    });
  }
}

onEveryStore((kind) => {
  describe("a short run", () => {
    it("takes three writes, of one statement each, and one poll reads it", async () => {
      const count = new Count();
      const fixture = await startFixture({
        level: "core",
        store: kind,
        backend: noopBackend,
        wrapStore: (store) => count.wrap(store),
      });
      fixture.executor.start();
      // The first run of a month is also granted its owner's free credits.
      await fixture.ended(await fixture.submit());

      Object.assign(count, { writes: [], reads: [] });
      const runId = await fixture.submit();
      await fixture.ended(runId);
      expect(count.writes).toEqual(Array.from({ length: 3 }, () => ({ isOneWrite: true })));
      const isOfWork = (read: string) => read.startsWith("agents.");
      expect(count.reads.filter(isOfWork)).toEqual(["agents.find"]);

      Object.assign(count, { writes: [], reads: [] });
      const caller = await fixture.caller();
      const signal = new AbortController().signal;
      const page = await readEventPage(fixture.core, {
        caller,
        runId,
        after: 0,
        limit: 100,
        waitMs: 0,
        signal,
      });
      expect(page).toMatchObject({ ok: true, value: { done: true } });
      expect(count.writes).toEqual([]);
      expect(count.reads).toEqual(["runs.find", "events.list"]);
      await fixture.close();
    });
  });
});
