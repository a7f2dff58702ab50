// Many readers of one run that are woken by the same event: the store is read for all of them at once.

import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../../fakes/records.ts";
import { SharedReads } from "../../../../src/service/core/runs/shared-reads.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withReads } from "../../../support/wrapped-store.ts";

onEveryStore((kind) => {
  it("one read answers everybody who asked before it began", async () => {
    const place = await kind.make();
    const store = await place.open();
    let reads = 0;
    const counted = withReads(store, {
      runs: {
        find: (runId) => {
          reads += 1;
          return store.committed.runs.find(runId);
        },
      },
    });
    const shared = new SharedReads(counted.committed);
    const readers = (runId: string) => Promise.all(Array.from({ length: 500 }, () => shared.findRun(runId)));
    expect(new Set(await readers("run-1"))).toEqual(new Set([null]));
    expect(reads).toBe(1);

    const late = shared.findRun("run-1");
    await setImmediate();
    await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
    await late;
    // Whoever asks after a commit sees it, whatever was under way.
    const found = await readers("run-1");
    expect(found.every((run) => run !== null && run === found[0])).toBe(true);
    expect(found[0]?.id).toBe("run-1");
    expect(reads).toBe(3);
    await store.close();
    await place.remove();
  });
});
