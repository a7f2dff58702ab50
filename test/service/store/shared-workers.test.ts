// Billing accounts share the workers by the weights of their plans: on both stores, and as the queue in one process does it.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeEnd, makeRun, makeRunInput } from "../../../fakes/records.ts";
import { accountOfWallet, accountWallet } from "../../../src/service/core/money/ledger.ts";
import type { Plan } from "../../../src/service/core/money/plan.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { FairQueue } from "../../../src/service/executor/fair-queue.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const FREE = "free:https://issuer.example:77:2026-01";
const [ONE, OTHER] = [accountWallet("one"), accountWallet("other")];
const weights = { registered_free: 1, subscribed: 3 };

onEveryStore((kind) => {
  describe("billing accounts", () => {
    let place: StorePlace;
    let store: Store;
    let now = 1_000;
    let submitted = 0;

    beforeEach(async () => {
      place = await kind.make();
      store = await place.open();
      now = 1_000;
      submitted = 0;
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const putOn = async (wallet: string, plan: Plan) => {
      const id = accountOfWallet(wallet) ?? "";
      await store.transact(async (tx) => {
        const account = await tx.accounts.lock(id);
        if (account !== null) return await tx.accounts.update({ ...account, plan });
        await tx.accounts.insert({ id, name: null, plan, createdAt: 1, subscription: null });
      });
    };

    const submit = async (billingAccount: string, parentRunId: string | null = null) => {
      submitted += 1;
      const id = `run-${String(submitted).padStart(6, "0")}`;
      const run = makeRun({ id, billingAccount, parentRunId, submittedAt: now });
      await store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      return id;
    };

    const queue = async (billingAccount: string, runs: number) => {
      for (let index = 0; index < runs; index += 1) await submit(billingAccount);
    };

    const start = async (by = weights) => {
      const started = await store.transact((tx) => tx.queue.startOldest({ now, weights: by }), {
        isOneWrite: true,
      });
      return started?.run ?? null;
    };

    const end = async (runId: string) =>
      await store.transact((tx) =>
        tx.events.end(makeEnd({ runId, now, settlement: { billingAccount: FREE, postings: [] } })),
      );

    /** How many each account gets of the next starts. With one worker, each run ends before the next start. */
    const startsOf = async (count: number, options: { workers: "one" | "enough"; by?: typeof weights }) => {
      const starts = new Map<string, number>();
      for (let index = 0; index < count; index += 1) {
        const run = await start(options.by);
        if (run === null) throw new Error("No run is queued.");
        starts.set(run.billingAccount, (starts.get(run.billingAccount) ?? 0) + 1);
        now += 100;
        if (options.workers === "one") await end(run.id);
      }
      return starts;
    };

    for (const workers of ["enough", "one"] as const)
      it(`have starts by their weights, 3 to 1, with ${workers === "one" ? "one worker" : "workers for all"}`, async () => {
        await putOn(ONE, "subscribed");
        await putOn(OTHER, "registered_free");
        await queue(OTHER, 30);
        await queue(ONE, 70);
        const starts = await startsOf(80, { workers });
        expect(Math.abs((starts.get(ONE) ?? 0) - 60)).toBeLessThanOrEqual(1);
        expect(Math.abs((starts.get(OTHER) ?? 0) - 20)).toBeLessThanOrEqual(1);
      });

    it("of no plan, and of one that this node's file does not name, have weight 1", async () => {
      await putOn(ONE, "subscribed");
      await queue(FREE, 20);
      await queue(accountWallet("unknown"), 20);
      await queue(ONE, 40);
      const starts = await startsOf(50, { workers: "enough" });
      expect(Object.fromEntries(starts)).toEqual({ [ONE]: 30, [FREE]: 10, [accountWallet("unknown")]: 10 });
    });

    it("start by the plan that they have at that moment, also what was queued before", async () => {
      await putOn(ONE, "registered_free");
      await putOn(OTHER, "registered_free");
      await queue(ONE, 60);
      await queue(OTHER, 60);
      expect(Math.abs(((await startsOf(20, { workers: "one" })).get(ONE) ?? 0) - 10)).toBeLessThanOrEqual(1);
      await putOn(ONE, "subscribed");
      const subscribed = (await startsOf(40, { workers: "one" })).get(ONE) ?? 0;
      expect(Math.abs(subscribed - 30)).toBeLessThanOrEqual(1);
      await putOn(ONE, "registered_free");
      expect(Math.abs(((await startsOf(20, { workers: "one" })).get(ONE) ?? 0) - 10)).toBeLessThanOrEqual(1);
    });

    it("of weight 1 get their share among those of weight 100", async () => {
      const by = { registered_free: 1, subscribed: 100 };
      const heavy = ["a", "b"].map(accountWallet);
      for (const wallet of heavy) await putOn(wallet, "subscribed");
      await putOn(OTHER, "registered_free");
      for (const wallet of heavy) await queue(wallet, 220);
      await queue(OTHER, 5);
      const starts = (await startsOf(402, { workers: "one", by })).get(OTHER) ?? 0;
      expect(starts).toBeGreaterThanOrEqual(1);
      expect(starts).toBeLessThanOrEqual(3);
      // With a worker for each, the first of them.
      const first = await startsOf(3, { workers: "enough", by });
      expect(first.get(OTHER)).toBe(1);
    });

    it("take turns where each has the same at work, the one first that has waited longest", async () => {
      await queue(FREE, 3);
      now += 5;
      await queue(ONE, 3);
      now += 5;
      await queue(OTHER, 3);
      const turns: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        now += 100;
        const run = await start();
        if (run === null) throw new Error("No run is queued.");
        turns.push(run.billingAccount);
        await end(run.id);
      }
      expect(turns).toEqual([FREE, ONE, OTHER, FREE, ONE, OTHER]);
    });

    it("let children of runs go first, whatever their weights", async () => {
      await putOn(ONE, "subscribed");
      await queue(ONE, 2);
      const parent = await submit(OTHER);
      await queue(OTHER, 2);
      await store.transact((tx) => tx.queue.start({ runId: parent, now }));
      const child = await submit(OTHER, parent);
      expect((await start())?.id).toBe(child);
      expect((await start())?.billingAccount).toBe(ONE);
    });

    it("are listed with their weights, those first that are served next", async () => {
      await putOn(ONE, "subscribed");
      await queue(ONE, 4);
      await queue(FREE, 3);
      for (let index = 0; index < 3; index += 1) await start();
      const list = async (by: typeof weights) =>
        (await store.committed.queue.listWaiting({ limit: 10, weights: by })).map(
          ({ billingAccount, queued, atWork, weight }) => [billingAccount, queued, atWork, weight],
        );
      expect(await list(weights)).toEqual([
        [ONE, 2, 2, 3],
        [FREE, 2, 1, 1],
      ]);
      expect(await list({ registered_free: 1, subscribed: 1 })).toEqual([
        [FREE, 2, 1, 1],
        [ONE, 2, 2, 1],
      ]);
    });

    it("share a statement that starts several runs as several statements do", async () => {
      await putOn(ONE, "subscribed");
      await queue(OTHER, 10);
      await queue(ONE, 10);
      const starts = await Promise.all(Array.from({ length: 8 }, () => start()));
      expect(new Set(starts.map((run) => run?.id)).size).toBe(8);
      expect(starts.filter((run) => run?.billingAccount === ONE)).toHaveLength(6);
    });

    it("are served as by the queue of one process, in drawn orders of what comes, ends and is subscribed", async () => {
      const wallets = [FREE, ONE, OTHER, accountWallet("third"), accountWallet("fourth")];
      const plans = new Map<string, Plan>();
      const inProcess = new FairQueue();
      const atWork: string[] = [];
      const draw = randomBy(20_261_129);
      const among = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item;
      const weightsNow = () => new Map([...plans].map(([wallet, plan]) => [wallet, weights[plan]] as const));
      let compared = 0;
      for (let step = 0; step < 600; step += 1) {
        now += draw(40);
        const kindOfStep = draw(10);
        if (kindOfStep < 4) {
          const billingAccount = among(wallets);
          inProcess.add({ runId: await submit(billingAccount), billingAccount, now });
        } else if (kindOfStep < 7) {
          const started = await start();
          expect(inProcess.take({ now, weights: weightsNow() }), `step ${step}`).toBe(started?.id ?? null);
          if (started === null) continue;
          compared += 1;
          atWork.push(started.id);
        } else if (kindOfStep < 9 && atWork.length > 0) {
          const [ended = ""] = atWork.splice(draw(atWork.length), 1);
          await end(ended);
          inProcess.end(ended);
        } else {
          const wallet = among(wallets.slice(1));
          plans.set(wallet, among(["registered_free", "subscribed"] as const));
          await putOn(wallet, plans.get(wallet) ?? "registered_free");
        }
      }
      expect(compared).toBeGreaterThan(100);
    });
  });
});

/** Numbers below a bound, the same for the same seed: a linear congruential generator. */
function randomBy(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * bound);
  };
}
