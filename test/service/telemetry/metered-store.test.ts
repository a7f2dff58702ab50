import { describe, expect, it } from "vitest";
import { makeEnd, makeOutcome, makeRun, makeRunInput } from "../../../fakes/records.ts";
import { planWeights } from "../../../src/service/core/money/rates.ts";
import { type Meter, noMeter } from "../../../src/service/core/ports/meter.ts";
import type { Store, StoreTransaction } from "../../../src/service/core/ports/store.ts";
import { defaultRates } from "../../../src/service/settings/default-rates.ts";
import { meteredStore } from "../../../src/service/telemetry/metered-store.ts";

const weights = planWeights(defaultRates);

/** A store whose transactions do nothing, and run their work as often as `tries` says. */
function storeOf(options: { tries?: number; appends?: boolean } = {}): Store {
  const { tries = 1, appends = true } = options;
  const started = { run: makeRun(), input: makeRunInput() };
  const start = async () => (appends ? started : null);
  const tx = {
    queue: { start, startOldest: start },
    events: {
      append: async () => (appends ? { lastSeq: 1, status: "running" } : null),
      end: async () => appends,
    },
    runs: { update: async () => {} },
  } as unknown as StoreTransaction;
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
const outcome = makeOutcome({ status: "failed", cause: "stalled" });

async function work(tx: StoreTransaction): Promise<string> {
  await tx.events.append(batch);
  await tx.runs.update("run", { fence: 2 });
  await tx.runs.update("run", { status: "cancelling" });
  await tx.events.end(makeEnd({ outcome }));
  return "value";
}

describe("a measured store", () => {
  it("counts what was committed, and gives back what the work gave", async () => {
    const { meter, seen } = recorder();
    expect(await meteredStore(storeOf(), meter).transact(work)).toBe("value");
    expect(seen).toEqual([2, 1, { status: "failed", cause: "stalled" }]);
  });

  it("counts the event that opens a stream, and an ending that comes with the last events", async () => {
    const { meter, seen } = recorder();
    const store = meteredStore(storeOf(), meter);
    await store.transact((tx) => tx.queue.start({ runId: "run", now: 0 }));
    await store.transact((tx) => tx.queue.startOldest({ now: 0, weights }));
    await store.transact((tx) => tx.events.end(makeEnd({ outcome, jsons: ["{}", "{}"] })));
    expect(seen).toEqual([1, 1, 2, { status: "failed", cause: "stalled" }]);
  });

  it("counts once what had to run again", async () => {
    const { meter, seen } = recorder();
    await meteredStore(storeOf({ tries: 3 }), meter).transact(work);
    expect(seen).toHaveLength(3);
  });

  it("counts nothing that was undone, and no write that was refused", async () => {
    const { meter, seen } = recorder();
    const failing = meteredStore(storeOf(), meter).transact(async (tx) => {
      await work(tx);
      throw new Error("undone");
    });
    await expect(failing).rejects.toThrow("undone");
    const refusing = meteredStore(storeOf({ appends: false }), meter);
    await refusing.transact((tx) => tx.queue.startOldest({ now: 0, weights }));
    await refusing.transact((tx) => tx.events.end(makeEnd({ outcome, jsons: ["{}", "{}"] })));
    expect(seen).toEqual([]);
  });
});
