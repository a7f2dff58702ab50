import { describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { type Meter, noMeter } from "../../../src/service/core/ports/meter.ts";
import type { Store, StoreTransaction } from "../../../src/service/core/ports/store.ts";
import { meteredStore } from "../../../src/service/telemetry/metered-store.ts";

/** A store whose transactions do nothing, and run their work as often as `tries` says. */
function storeOf(options: { tries?: number; appends?: boolean } = {}): Store {
  const { tries = 1, appends = true } = options;
  const started = { run: makeRun(), input: makeRunInput() };
  const tx = {
    startRun: async () => (appends ? started : null),
    startOldestRun: async () => (appends ? started : null),
    appendEvents: async () => (appends ? { lastSeq: 1, status: "running" as const } : null),
    updateRun: async () => {},
  } as Partial<StoreTransaction> as StoreTransaction;
  return {
    committed: tx,
    transact: async (work) => {
      for (let attempt = 1; attempt < tries; attempt += 1) await work(tx);
      return await work(tx);
    },
    ping: async () => {},
    close: async () => {},
  };
}

function recorder(): { meter: Meter; seen: unknown[] } {
  const seen: unknown[] = [];
  const meter: Meter = {
    ...noMeter,
    eventsAppended: (count) => seen.push(count),
    runEnded: (ending) => seen.push(ending),
  };
  return { meter, seen };
}

const batch = { runId: "run", fence: 1, now: 0, jsons: ["{}", "{}"] };

async function work(tx: StoreTransaction): Promise<string> {
  await tx.appendEvents(batch);
  await tx.updateRun("run", { fence: 2 });
  await tx.updateRun("run", { status: "cancelling" });
  await tx.updateRun("run", { status: "failed", cause: "stalled" });
  return "value";
}

describe("a measured store", () => {
  it("counts what was committed, and gives back what the work gave", async () => {
    const { meter, seen } = recorder();
    expect(await meteredStore(storeOf(), meter).transact(work)).toBe("value");
    expect(seen).toEqual([2, { status: "failed", cause: "stalled" }]);
  });

  it("counts the event that opens a stream, and an ending that comes with the last events", async () => {
    const { meter, seen } = recorder();
    const store = meteredStore(storeOf(), meter);
    await store.transact((tx) => tx.startRun({ runId: "run", now: 0 }));
    await store.transact((tx) => tx.startOldestRun({ now: 0 }));
    const change = { status: "completed", cause: null } as const;
    await store.transact((tx) => tx.appendEvents({ ...batch, change }));
    expect(seen).toEqual([1, 1, 2, change]);
  });

  it("counts once what had to run again", async () => {
    const { meter, seen } = recorder();
    await meteredStore(storeOf({ tries: 3 }), meter).transact(work);
    expect(seen).toHaveLength(2);
  });

  it("counts nothing that was undone, and no write that was refused", async () => {
    const { meter, seen } = recorder();
    const failing = meteredStore(storeOf(), meter).transact(async (tx) => {
      await work(tx);
      throw new Error("undone");
    });
    await expect(failing).rejects.toThrow("undone");
    const refusing = meteredStore(storeOf({ appends: false }), meter);
    await refusing.transact((tx) => tx.startOldestRun({ now: 0 }));
    await refusing.transact((tx) => tx.appendEvents({ ...batch, change: { status: "completed" } }));
    expect(seen).toEqual([]);
  });
});
