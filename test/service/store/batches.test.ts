import { beforeEach, describe, expect, it } from "vitest";
import { Batches } from "../../../src/service/store/batches.ts";

describe("Batches", () => {
  /** Each batch, and what ends it. */
  let running: { readonly items: readonly string[]; end(): void }[];
  let batches: Batches<string, string>;

  beforeEach(() => {
    running = [];
    batches = new Batches({
      run: (items) =>
        new Promise((resolve) => {
          running.push({ items, end: () => resolve(items.map((item) => item.toUpperCase())) });
        }),
      maxItems: 3,
      maxRunning: 2,
      isWorthTryingAlone: () => false,
    });
  });

  const turn = () => new Promise(setImmediate);
  const batchesAre = async (...expected: string[]) =>
    await expect.poll(() => running.map(({ items }) => items.join(" "))).toEqual(expected);

  it("does together what arrives in one turn, and what comes while it is done", async () => {
    const first = batches.add("a");
    await turn();
    const others = ["b", "c", "d", "e"].map((item) => batches.add(item));
    running[0]?.end();
    expect(await first).toBe("A");
    await batchesAre("a", "b c d", "e");
    for (const { end } of running) end();
    expect(await Promise.all(others)).toEqual(["B", "C", "D", "E"]);
  });

  it("does not wait for a batch that is slow, unless as many are as may be", async () => {
    const slow = batches.add("slow");
    await batchesAre("slow");
    const also = batches.add("also slow");
    await batchesAre("slow", "also slow");
    const last = batches.add("last");
    running[1]?.end();
    expect(await also).toBe("ALSO SLOW");
    await batchesAre("slow", "also slow", "last");
    for (const { end } of running) end();
    expect(await Promise.all([slow, last])).toEqual(["SLOW", "LAST"]);
  });
});
