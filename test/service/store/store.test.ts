// What every store must do, run on each of them.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeEnd, makeJob, makeOutcome, makeRun, makeRunInput } from "../../../fakes/records.ts";
import { nobody } from "../../../src/service/core/audit/audit-entry.ts";
import { EARNED, GRANTS, HELD } from "../../../src/service/core/money/ledger.ts";
import type { Posting } from "../../../src/service/core/money/posting.ts";
import { planWeights } from "../../../src/service/core/money/rates.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { defaultRates } from "../../../src/service/settings/default-rates.ts";
import { DataFolderInUseError } from "../../../src/service/store/data-folder.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const weights = planWeights(defaultRates);

const BILLING_ACCOUNT = "free:https://issuer.example:77:2026-01";

onEveryStore((kind) => {
  describe("store", () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await kind.make({ isEmpty: true });
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    it("keeps what it acknowledged when it is opened again", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
      await store.close();
      store = await place.open();
      expect(await store.committed.runs.find("run-1")).toEqual(makeRun());
    });

    if (kind.name === "SQLite")
      it("refuses a second process, and says who has it", async () => {
        const second = place.open();
        await expect(second).rejects.toThrow(/is in use by/);
        await expect(second).rejects.toBeInstanceOf(DataFolderInUseError);
      });

    if (kind.name === "PostgreSQL")
      it("is shared by nodes, also when they start at the same time", async () => {
        const nodes = await Promise.all([place.open(), place.open(), place.open()]);
        await nodes[0]?.transact((tx) => tx.runs.insert(makeRun({ id: "shared" }), makeRunInput()));
        for (const node of nodes) {
          expect((await node.committed.runs.find("shared"))?.id).toBe("shared");
          await node.close();
        }
      });

    if (kind.name === "PostgreSQL")
      it("goes on when a newer node has changed the tables meanwhile", async () => {
        await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
        const read = () => store.committed.runs.find("run-1");
        const lock = () => store.transact((tx) => tx.runs.lock("run-1"));
        expect([await read(), await lock()]).toEqual([makeRun(), makeRun()]);
        await place.query("alter table runs add column later text");
        expect([await lock(), await read()]).toEqual([makeRun(), makeRun()]);
      });

    it("takes the oldest queued run, each once, and knows what is queued and at work", async () => {
      const ids = ["a", "b", "c"];
      for (const id of ids) await store.transact((tx) => tx.runs.insert(makeRun({ id }), makeRunInput()));
      expect(await store.committed.queue.count()).toBe(3);
      const takes = Array.from({ length: 5 }, () =>
        store.transact((tx) => tx.queue.startOldest({ now: 7, weights })),
      );
      const taken = (await Promise.all(takes)).flatMap((start) => (start === null ? [] : [start.run.id]));
      expect(taken.sort()).toEqual(ids);
      expect(await store.committed.queue.count()).toBe(0);
      expect(await store.committed.queue.listAtWork()).toEqual(
        ids.map((id) => ({ id, heartbeatAt: 7, fence: 1 })),
      );
    });

    it("shares the workers among billing accounts, whatever each has queued, children first", async () => {
      const queue = async (id: string, billingAccount: string, parentRunId: string | null = null) =>
        await store.transact((tx) =>
          tx.runs.insert(makeRun({ id, billingAccount, parentRunId }), makeRunInput()),
        );
      for (let index = 0; index < 40; index += 1) await queue(`a${10 + index}`, "many");
      await queue("b1", "few");
      await queue("b2", "few");
      await queue("c1", "one");
      await queue("z1", "many", "a10");
      const take = async () =>
        (await store.transact((tx) => tx.queue.startOldest({ now: 7, weights })))?.run.id ?? null;
      const taken = [await take(), await take(), await take(), await take(), await take()];
      // The child is at work for its account, too.
      expect(taken).toEqual(["z1", "b1", "c1", "a10", "b2"]);
      await store.transact(async (tx) => {
        for (const runId of ["z1", "a10"])
          await tx.events.end(makeEnd({ runId, settlement: { billingAccount: "many", postings: [] } }));
      });
      await queue("d1", "new");
      expect([await take(), await take(), await take()]).toEqual(["a11", "d1", "a12"]);
    });

    it("undoes a transaction that throws, and only that one", async () => {
      const failing = store.transact(async (tx) => {
        await tx.runs.insert(makeRun({ id: "undone" }), makeRunInput());
        throw new Error("no");
      });
      const passing = store.transact((tx) => tx.runs.insert(makeRun({ id: "kept" }), makeRunInput()));
      await expect(failing).rejects.toThrow("no");
      await passing;
      expect(await store.committed.runs.find("undone")).toBeNull();
      expect(await store.committed.runs.find("kept")).not.toBeNull();
    });

    it("shows no reader what is not committed", async () => {
      let seen: unknown = "not looked";
      await store.transact(async (tx) => {
        await tx.runs.insert(makeRun(), makeRunInput());
        seen = await store.committed.runs.find("run-1");
      });
      expect(seen).toBeNull();
      expect(await store.committed.runs.find("run-1")).not.toBeNull();
    });

    it("lets one of many claim a token", async () => {
      const token = { issuer: "i", replayKey: "jti-1", usableUntil: 10 };
      const claims = await Promise.all(
        Array.from({ length: 50 }, () => store.transact((tx) => tx.ci.claimToken(token))),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.transact((tx) => tx.ci.claimToken({ ...token, issuer: "another" }))).toBe(true);
    });

    it("makes one agent a repository, however many ask", async () => {
      const agents = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.transact((tx) =>
            tx.agents.upsert({ id: `agent-${index}`, job: makeJob(), backend: "offline", now: 1 }),
          ),
        ),
      );
      expect(new Set(agents.map(({ id }) => id)).size).toBe(1);
    });

    it("follows a rename and keeps a recycled name apart", async () => {
      const upsert = (id: string, repository: ReturnType<typeof makeJob>["repository"]) =>
        store.transact((tx) =>
          tx.agents.upsert({ id, job: makeJob({ repository }), backend: "offline", now: 1 }),
        );
      const first = await upsert("a", { id: "1", ownerId: "7", name: "octo/old", visibility: "public" });
      const renamed = await upsert("b", { id: "1", ownerId: "7", name: "octo/new", visibility: "private" });
      const recycled = await upsert("c", { id: "2", ownerId: "9", name: "octo/old", visibility: "public" });
      const repository = { ...first.repository, name: "octo/new", visibility: "private" };
      expect(renamed).toEqual({ ...first, repository });
      expect(recycled.id).toBe("c");
    });

    it("keeps an agent's policy on CI jobs, whatever its repository's next job says, until it is cleared", async () => {
      const upsert = () =>
        store.transact((tx) => tx.agents.upsert({ id: "a", job: makeJob(), backend: "offline", now: 1 }));
      const agent = await upsert();
      expect(agent.ciPolicy).toBeNull();
      const ciPolicy = { events: ["push"], workflows: ["ci/über.yml@refs/heads/*"], actors: ["12"] };
      await store.transact((tx) => tx.agents.update("a", { ciPolicy }));
      expect(await store.committed.agents.find("a")).toEqual({ ...agent, ciPolicy });
      expect(await upsert()).toEqual({ ...agent, ciPolicy });
      await store.transact((tx) => tx.agents.update("a", { advisorMaxSpendMicroUsd: 1 }));
      expect((await store.transact((tx) => tx.agents.lock("a")))?.ciPolicy).toEqual(ciPolicy);
      await store.transact((tx) => tx.agents.update("a", { ciPolicy: null }));
      expect((await store.committed.agents.find("a"))?.ciPolicy).toBeNull();
    });

    it("keeps what an agent may reach of the network until it is cleared; nothing is not no policy", async () => {
      const upsert = () =>
        store.transact((tx) => tx.agents.upsert({ id: "a", job: makeJob(), backend: "offline", now: 1 }));
      expect((await upsert()).egress).toBeNull();
      for (const egress of [["registries", "*.example.com:8443"], [], null]) {
        await store.transact((tx) => tx.agents.update("a", { egress }));
        expect((await upsert()).egress).toEqual(egress);
      }
    });

    it("keeps and revokes a capability", async () => {
      const capability = {
        hash: "h",
        agentId: "a",
        job: makeJob(),
        issuedAt: 1,
        expiresAt: 5,
        revokedAt: null,
      };
      await store.transact((tx) => tx.ci.insertCapability(capability));
      expect(await store.committed.ci.findCapability("h")).toEqual(capability);
      await store.transact((tx) => tx.ci.revokeCapability({ hash: "h", now: 2 }));
      await store.transact((tx) => tx.ci.revokeCapability({ hash: "h", now: 3 }));
      expect((await store.committed.ci.findCapability("h"))?.revokedAt).toBe(2);
    });

    it("gives a queued run to one worker", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput({ maxTurnTokens: 9 })));
      const starts = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.transact((tx) => tx.queue.start({ runId: "run-1", now: 2_000 })),
        ),
      );
      const taken = starts.filter((start) => start !== null);
      expect(taken).toEqual([
        {
          run: makeRun({ status: "running", startedAt: 2_000, heartbeatAt: 2_000, lastSeq: 1, fence: 1 }),
          input: makeRunInput({ maxTurnTokens: 9 }),
        },
      ]);
      const [opening, ...more] = await store.committed.events.list({ runId: "run-1", after: 0, limit: 10 });
      expect(more).toEqual([]);
      expect(opening).toMatchObject({ seq: 1, at: 2_000 });
      expect(JSON.parse(opening?.json ?? "")).toEqual({
        type: "RUN_STARTED",
        threadId: makeRun().sessionId,
        runId: "run-1",
      });
    });

    it("numbers events 1, 2, 3 … when several append at the same time", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
      await store.transact((tx) => tx.queue.start({ runId: "run-1", now: 1 }));
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          store.transact((tx) =>
            tx.events.append({ runId: "run-1", fence: 1, now: 2, jsons: [`"${index}a"`, `"${index}b"`] }),
          ),
        ),
      );
      const events = await store.committed.events.list({ runId: "run-1", after: 0, limit: 1000 });
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 81 }, (_, index) => index + 1));
      for (let index = 1; index < 81; index += 2) {
        expect(events[index + 1]?.json).toBe(events[index]?.json.replace("a", "b"));
      }
      expect((await store.committed.runs.find("run-1"))?.lastSeq).toBe(81);
      const page = await store.committed.events.list({ runId: "run-1", after: 77, limit: 2 });
      expect(page.map(({ seq }) => seq)).toEqual([78, 79]);
    });

    it("appends more events at once than a statement binds values", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
      await store.transact((tx) => tx.queue.start({ runId: "run-1", now: 1 }));
      const jsons = Array.from({ length: 2_500 }, (_, index) => String(index));
      const appended = await store.transact((tx) =>
        tx.events.append({ runId: "run-1", fence: 1, now: 2, jsons }),
      );
      expect(appended).toEqual({ lastSeq: 2_501, status: "running" });
      const [last] = await store.committed.events.list({ runId: "run-1", after: 2_500, limit: 10 });
      expect(last).toEqual({ seq: 2_501, at: 2, json: "2499" });
    });

    it("refuses the writes of a worker that lost the run, and all writes after its end", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
      await store.transact((tx) => tx.queue.start({ runId: "run-1", now: 1 }));
      const append = (fence: number) =>
        store.transact((tx) => tx.events.append({ runId: "run-1", fence, now: 2, jsons: ["1"] }));
      expect(await append(0)).toBeNull();
      expect(await append(1)).toEqual({ lastSeq: 2, status: "running" });
      await store.transact((tx) => tx.runs.update("run-1", { fence: 2 }));
      expect(await append(1)).toBeNull();
      const runs = [{ runId: "run-1", fence: 1 }];
      expect((await store.transact((tx) => tx.queue.beat({ runs, now: 3 }))).size).toBe(0);
      expect(await store.transact((tx) => tx.events.end(makeEnd({ fence: 2 })))).toBe(true);
      expect(await append(2)).toBeNull();
      expect((await store.committed.runs.find("run-1"))?.lastSeq).toBe(3);
    });

    it("keeps the heartbeats of many runs in one write, and says which are another's", async () => {
      for (const id of ["mine", "cancelling", "lost", "over"]) {
        await store.transact((tx) => tx.runs.insert(makeRun({ id }), makeRunInput()));
        await store.transact((tx) => tx.queue.start({ runId: id, now: 1 }), { isOneWrite: true });
      }
      await store.transact((tx) => tx.runs.update("cancelling", { status: "cancelling" }));
      await store.transact((tx) => tx.runs.update("lost", { fence: 2 }));
      await store.transact((tx) => tx.events.end(makeEnd({ runId: "over", now: 2 })));
      const runs = ["mine", "cancelling", "lost", "over", "unknown"].map((runId) => ({ runId, fence: 1 }));
      const states = await store.transact((tx) => tx.queue.beat({ runs, now: 9 }), { isOneWrite: true });
      expect(Object.fromEntries(states)).toEqual({ mine: "running", cancelling: "cancelling" });
      const beats = ["mine", "cancelling", "lost", "over"].map((id) => store.committed.runs.find(id));
      expect((await Promise.all(beats)).map((run) => run?.heartbeatAt)).toEqual([9, 9, 1, 2]);
    });

    it("writes what changes with the last events, or neither", async () => {
      await store.transact((tx) => tx.runs.insert(makeRun(), makeRunInput()));
      await store.transact((tx) => tx.queue.start({ runId: "run-1", now: 1 }));
      const end = makeEnd({ now: 5, outcome: makeOutcome({ endedAt: 5 }) });
      const { was } = end;
      const changed = [
        { fence: 7 },
        { was: { ...was, status: "cancelling" } },
        { was: { ...was, holdMicroUsd: 0 } },
      ] as const;
      for (const change of changed) {
        expect(await store.transact((tx) => tx.events.end({ ...end, ...change }))).toBe(false);
        expect(await store.committed.runs.find("run-1")).toMatchObject({ status: "running", lastSeq: 1 });
      }
      expect(await store.transact((tx) => tx.events.end(end))).toBe(true);
      expect(await store.committed.runs.find("run-1")).toMatchObject({
        status: "completed",
        endedAt: 5,
        lastSeq: 2,
      });
    });

    it("settles with several postings", async () => {
      const posting = {
        at: 1,
        kind: "grant",
        from: GRANTS,
        to: BILLING_ACCOUNT,
        microUsd: 1_000,
        runId: null,
      } as const;
      await store.transact(async (tx) => {
        await tx.ledger.open(BILLING_ACCOUNT);
        await tx.ledger.post({ id: "g", ...posting });
        await tx.ledger.hold({
          id: "h",
          at: 1,
          billingAccount: BILLING_ACCOUNT,
          microUsd: 600,
          runId: "run-1",
        });
      });
      const settle = async (postings: readonly Posting[]) => {
        await store.transact((tx) => tx.ledger.settle({ billingAccount: BILLING_ACCOUNT, postings }));
        return await store.committed.ledger.findBalance(BILLING_ACCOUNT);
      };
      const of = { at: 2, from: HELD, runId: "run-1" } as const;
      expect(await settle([{ ...of, id: "c", kind: "charge", to: EARNED, microUsd: 500 }])).toBe(400);
      expect(
        await settle([
          { ...of, id: "r", kind: "release", to: BILLING_ACCOUNT, microUsd: 100 },
          { ...of, id: "f", kind: "refund", from: EARNED, to: BILLING_ACCOUNT, microUsd: 500 },
        ]),
      ).toBe(1_000);
      expect(await settle([])).toBe(1_000);
      expect(await place.query("select id from ledger_postings order by id")).toHaveLength(5);
    });

    it("lists the runs that have not ended, oldest first", async () => {
      for (const [id, status] of [
        ["r3", "queued"],
        ["r1", "running"],
        ["r2", "completed"],
        ["r4", "cancelling"],
      ] as const) {
        await store.transact((tx) => tx.runs.insert(makeRun({ id, status }), makeRunInput()));
      }
      const { billingAccount } = makeRun();
      expect(await store.committed.queue.listUnfinished()).toEqual([
        { id: "r1", status: "running", billingAccount },
        { id: "r3", status: "queued", billingAccount },
        { id: "r4", status: "cancelling", billingAccount },
      ]);
    });

    it("keeps an idempotency key until it ends, then gives it to the next", async () => {
      const use = { agentId: "a", key: "k", runId: "r1", sessionId: "t1", requestHash: "h1", expiresAt: 100 };
      expect(await store.transact((tx) => tx.idempotency.insert({ ...use, now: 1 }))).toBe(true);
      const other = { ...use, runId: "r2", expiresAt: 200 };
      expect(await store.transact((tx) => tx.idempotency.insert({ ...other, now: 99 }))).toBe(false);
      const find = (now: number) =>
        store.transact((tx) => tx.idempotency.find({ agentId: "a", key: "k", now }));
      expect((await find(99))?.runId).toBe("r1");
      expect(await find(100)).toBeNull();
      expect(await store.transact((tx) => tx.idempotency.insert({ ...other, now: 100 }))).toBe(true);
      expect((await find(101))?.runId).toBe("r2");
    });

    it("never lets a billing account fall below zero, however many spend at once", async () => {
      await store.transact(async (tx) => {
        await tx.ledger.open(BILLING_ACCOUNT);
        const grant = {
          id: "g",
          at: 1,
          kind: "grant",
          from: GRANTS,
          to: BILLING_ACCOUNT,
          runId: null,
        } as const;
        await tx.ledger.post({ ...grant, microUsd: 1_000 });
      });
      expect(await store.transact((tx) => tx.ledger.open(BILLING_ACCOUNT))).toBe(false);
      const holds = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.transact((tx) =>
            tx.ledger.hold({
              id: `h${index}`,
              at: 2,
              billingAccount: BILLING_ACCOUNT,
              microUsd: 100,
              runId: `r${index}`,
            }),
          ),
        ),
      );
      expect(holds.filter(Boolean)).toHaveLength(10);
      expect(await store.committed.ledger.findBalance(BILLING_ACCOUNT)).toBe(0);
      const [sum] = await place.query(
        `select sum(case when to_account = '${BILLING_ACCOUNT}' then micro_usd else -micro_usd end) as total
         from ledger_postings where from_account = '${BILLING_ACCOUNT}' or to_account = '${BILLING_ACCOUNT}'`,
      );
      expect(Number(sum?.total)).toBe(0);
    });

    it("takes from a billing account by a hold alone", async () => {
      const posting = {
        id: "p",
        at: 1,
        kind: "charge",
        from: BILLING_ACCOUNT,
        to: EARNED,
        microUsd: 1,
        runId: null,
      } as const;
      await expect(store.transact((tx) => tx.ledger.post(posting))).rejects.toThrow(TypeError);
      const settlement = { billingAccount: BILLING_ACCOUNT, postings: [posting] };
      await expect(store.transact((tx) => tx.ledger.settle(settlement))).rejects.toThrow(TypeError);
      expect(await place.query("select id from ledger_postings")).toEqual([]);
    });

    it("deletes what has expired", async () => {
      await store.transact(async (tx) => {
        await tx.ci.claimToken({ issuer: "i", replayKey: "old", usableUntil: 10 });
        await tx.ci.claimToken({ issuer: "i", replayKey: "as old", usableUntil: 10 });
        await tx.ci.claimToken({ issuer: "i", replayKey: "older", usableUntil: 9 });
        await tx.ci.claimToken({ issuer: "i", replayKey: "new", usableUntil: 30 });
        await tx.claims.insertTicket({ hash: "c", agentId: "a", createdAt: 1, expiresAt: 10 });
        const entry = { ...nobody, requestId: "r", action: "exchange", outcome: "ok", issuer: null } as const;
        const of = { repositoryId: null, repositoryName: null, ciRunId: null };
        await tx.audit.insert({ id: "old", at: 19, ...entry, ...of });
        await tx.audit.insert({ id: "new", at: 20, ...entry, ...of });
      });
      const sweep = () =>
        store.transact((tx) => tx.expiry.deleteExpired({ now: 20, auditedBefore: 20, limit: 1 }));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([3, 2, 0]);
      expect(
        await store.transact((tx) => tx.ci.claimToken({ issuer: "i", replayKey: "new", usableUntil: 30 })),
      ).toBe(false);
    });
  });
});
