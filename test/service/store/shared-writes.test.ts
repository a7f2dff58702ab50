// What many callers write at the same time: on PostgreSQL in one statement, on SQLite in one commit.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeEnd, makeRun, makeRunInput } from "../../../fakes/records.ts";
import { EARNED, GRANTS, HELD, RUN_FEE_MICRO_USD } from "../../../src/service/core/money/ledger.ts";
import { planWeights } from "../../../src/service/core/money/rates.ts";
import type { Store, StoreTransaction } from "../../../src/service/core/ports/store.ts";
import type { Admitted } from "../../../src/service/core/runs/store-port.ts";
import { defaultRates } from "../../../src/service/settings/default-rates.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const weights = planWeights(defaultRates);

const PRICE = RUN_FEE_MICRO_USD;

onEveryStore((kind) => {
  describe("writes that callers share", () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await kind.make();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    /** In one write, which may be one with others'. */
    const write = <Value>(work: (tx: StoreTransaction) => Promise<Value>) =>
      store.transact(work, { isOneWrite: true });

    const open = async (billingAccount: string, microUsd: number) =>
      await store.transact(async (tx) => {
        await tx.ledger.open(billingAccount);
        const grant = { id: `grant ${billingAccount}`, at: 1, kind: "grant", from: GRANTS } as const;
        await tx.ledger.post({ ...grant, to: billingAccount, microUsd, runId: null });
      });

    const admit = async (id: string, { billingAccount = "free:a", key = null as string | null } = {}) => {
      const run = queued(id, billingAccount);
      const hold = { id: `hold ${id}`, at: 5, billingAccount, microUsd: PRICE, runId: id };
      const { agentId, sessionId } = run;
      const use = { agentId, now: 5, runId: id, sessionId, requestHash: "h", expiresAt: 100 };
      const admission = { run, input: makeRunInput(), hold, key: key === null ? null : { ...use, key } };
      return await write(async (tx): Promise<Admitted> => {
        const admitted = await tx.runs.admit(admission);
        if (admitted !== "admitted") throw new RefusedError(admitted);
        return admitted;
      }).catch((cause: unknown) => {
        if (cause instanceof RefusedError) return cause.refusal;
        throw cause;
      });
    };

    const queued = (id: string, billingAccount = "free:a") => {
      const price = { feeMicroUsd: PRICE, includedMs: 1_000, microUsdPerMinute: 2 };
      return makeRun({ id, sessionId: `session of ${id}`, billingAccount, holdMicroUsd: PRICE, price });
    };

    const started = async (ids: readonly string[]) => {
      for (const id of ids) {
        const run = makeRun({ id, sessionId: `session of ${id}` });
        await store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      }
      await Promise.all(ids.map(() => write((tx) => tx.queue.startOldest({ now: 7, weights }))));
    };

    const eventsOf = async (runId: string) =>
      (await store.committed.events.list({ runId, after: 0, limit: 100 })).map(({ seq, json }) => [
        seq,
        json,
      ]);

    it("admit as many runs as the credits pay for, whoever else pays in the same moment", async () => {
      await open("free:a", 3 * PRICE);
      await open("free:b", 100 * PRICE);
      const of = (billingAccount: string) =>
        Promise.all(
          Array.from({ length: 20 }, (_, index) => admit(`${billingAccount}-${index}`, { billingAccount })),
        );
      const [a, b, none] = await Promise.all([of("free:a"), of("free:b"), of("free:unopened")]);
      expect(a.filter((admitted) => admitted === "admitted")).toHaveLength(3);
      expect(a.filter((admitted) => admitted === "unpaid")).toHaveLength(17);
      expect(new Set(b)).toEqual(new Set(["admitted"]));
      expect(new Set(none)).toEqual(new Set(["unpaid"]));
      expect(await store.committed.ledger.findBalance("free:a")).toBe(0);
      expect(await store.committed.ledger.findBalance("free:b")).toBe(80 * PRICE);
      expect(await store.committed.queue.count()).toBe(23);
      expect(await store.committed.runs.find("free:b-7")).toEqual(queued("free:b-7", "free:b"));
      expect(await store.committed.runs.findInput("free:b-7")).toEqual(makeRunInput());
      expect(await place.query("select run_id from run_inputs")).toHaveLength(23);
      expect(await place.query("select id from sessions where run_count = 1")).toHaveLength(23);
      await expectSoundLedger(place);
    });

    it("admit one run a key, and take no credits for the others", async () => {
      await open("free:a", 100 * PRICE);
      const first = await admit("first", { key: "k" });
      const others = await Promise.all(
        Array.from({ length: 8 }, (_, index) => admit(`other-${index}`, { key: index < 4 ? "k" : "l" })),
      );
      expect([first, others.filter((admitted) => admitted === "admitted").length]).toEqual(["admitted", 1]);
      expect(new Set(others)).toEqual(new Set(["admitted", "key_taken"]));
      expect(await store.committed.ledger.findBalance("free:a")).toBe(98 * PRICE);
      expect(await store.committed.queue.count()).toBe(2);
    });

    it("keep entries of journals with events, for those alone that still have their run", async () => {
      const ids = ["run 1", "run 2", "run 3"];
      await started(ids);
      const keep = (
        runId: string,
        number: number,
        rest: { fence?: number; tree?: string; whole?: true } = {},
      ) =>
        write((tx) =>
          tx.journal.keep({
            runId,
            fence: rest.fence ?? 1,
            now: 8,
            jsons: [`"${number}"`, '"more"'],
            entry: {
              runId,
              entry: number,
              kind: "turn",
              version: 1,
              body: `body ${number}`,
              tree: rest.tree ?? null,
              turn: runId === "run 3" ? number : null,
              seq: null,
            },
            emptiesBodiesBefore: rest.whole === true ? number : 0,
            emptiesTreesBefore: rest.tree === undefined ? 0 : number,
          }),
        );
      const large = "x".repeat(1_500_000);
      const kept = [
        ...(await Promise.all([
          keep("run 1", 1, { tree: large }),
          keep("run 2", 1, { tree: large }),
          keep("run 3", 1),
        ])),
        ...(await Promise.all([
          keep("run 1", 2, { tree: "two" }),
          keep("run 2", 2, { fence: 7, tree: "lost", whole: true }),
          keep("run 3", 2, { whole: true }),
        ])),
        await keep("run 1", 3),
      ];
      const at = (lastSeq: number) => ({ lastSeq, status: "running" });
      expect(kept).toEqual([at(3), at(3), at(3), at(5), null, at(5), at(7)]);
      const journals = await Promise.all(ids.map((id) => store.committed.journal.list(id)));
      expect(journals.map((entries) => entries.map(({ body, tree }) => [body, tree]))).toEqual([
        [
          ["body 1", ""],
          ["body 2", "two"],
          ["body 3", null],
        ],
        [["body 1", large]],
        [
          ["", null],
          ["body 2", null],
        ],
      ]);
      expect(journals.map((entries) => entries.map(({ turn, seq }) => [turn, seq]))).toEqual([
        [
          [null, null],
          [null, null],
          [null, null],
        ],
        [[null, null]],
        [
          [1, 3],
          [2, 5],
        ],
      ]);
      expect((await eventsOf("run 2")).slice(1)).toEqual([
        [2, '"1"'],
        [3, '"more"'],
      ]);
      await expect(keep("run 3", 2)).rejects.toThrow();
      expect(await eventsOf("run 3")).toHaveLength(5);
    });

    it("append in the order of the calls, also to one run", async () => {
      const ids = Array.from({ length: 6 }, (_, index) => `run-${index}`);
      await started(ids);
      const append = (runId: string, fence: number, json: string) =>
        write((tx) => tx.events.append({ runId, fence, now: 8, jsons: [json] }));
      const appended = await Promise.all(
        ids.flatMap((id) => [append(id, 1, '"a"'), append(id, 7, '"lost"'), append(id, 1, '"b"')]),
      );
      for (const [index, id] of ids.entries()) {
        expect((await eventsOf(id)).slice(1)).toEqual([
          [2, '"a"'],
          [3, '"b"'],
        ]);
        expect(appended[index * 3 + 1]).toBeNull();
        expect(appended[index * 3 + 2]).toEqual({ lastSeq: 3, status: "running" });
      }
    });

    it("end each run once, with its postings", async () => {
      const ids = Array.from({ length: 5 }, (_, index) => `run-${index}`);
      const billingAccount = makeRun().billingAccount;
      await open(billingAccount, 5 * makeRun().holdMicroUsd);
      for (const runId of ids) {
        const hold = { id: `hold ${runId}`, at: 1, billingAccount, microUsd: makeRun().holdMicroUsd, runId };
        await store.transact((tx) => tx.ledger.hold(hold));
      }
      await started(ids);
      const end = (runId: string) => {
        const of = { at: 9, from: HELD, runId } as const;
        const charge = { ...of, id: `charge ${runId}`, kind: "charge", to: EARNED, microUsd: 1 } as const;
        const microUsd = makeRun().holdMicroUsd - 1;
        const release = {
          ...of,
          id: `release ${runId}`,
          kind: "release",
          to: billingAccount,
          microUsd,
        } as const;
        const settlement = { billingAccount, postings: [charge, release] };
        return write((tx) => tx.events.end(makeEnd({ runId, jsons: ['"x"', '"y"'], settlement })));
      };
      const ended = await Promise.all([...ids.map(end), ...ids.map(end)]);
      expect(ended.filter(Boolean)).toHaveLength(5);
      for (const id of ids)
        expect((await eventsOf(id)).slice(1)).toEqual([
          [2, '"x"'],
          [3, '"y"'],
        ]);
      expect(await store.committed.ledger.findBalance(billingAccount)).toBe(5 * (makeRun().holdMicroUsd - 1));
    });

    if (kind.name === "PostgreSQL")
      it("fail alone, when one holds a NUL (which SQLite takes)", async () => {
        const ids = Array.from({ length: 4 }, (_, index) => `run-${index}`);
        await started(ids);
        const outcomes = await Promise.allSettled(
          ids.map((runId, index) =>
            write((tx) =>
              tx.events.append({ runId, fence: 1, now: 8, jsons: [index === 2 ? '"\0"' : '"fine"'] }),
            ),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual([
          "fulfilled",
          "fulfilled",
          "rejected",
          "fulfilled",
        ]);
        for (const id of ["run-0", "run-1", "run-3"])
          expect((await eventsOf(id)).at(-1)).toEqual([2, '"fine"']);
        expect(await eventsOf("run-2")).toHaveLength(1);
      });

    it("are read by everybody who asks at the same time, each what it asked for", async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `run-${index}`);
      await started(ids);
      const asked = [...ids, "none", ...ids];
      const runs = await Promise.all(asked.map((id) => store.committed.runs.find(id)));
      expect(runs.map((run) => run?.id ?? "none")).toEqual(asked);
      const pages = await Promise.all(
        asked.map((runId) => store.committed.events.list({ runId, after: 0, limit: 1 })),
      );
      expect(pages.map((page) => page.length)).toEqual(asked.map((id) => (id === "none" ? 0 : 1)));
    });
  });
});

class RefusedError extends Error {
  readonly refusal: Admitted;

  constructor(refusal: Admitted) {
    super(refusal);
    this.refusal = refusal;
  }
}
