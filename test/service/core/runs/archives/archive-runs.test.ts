// Events of ended runs in an archive: read as before wherever they are, also in the middle of the move, and lost by no failure of it.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ciRunPageSchema } from "../../../../../src/contract/ci/run-page.ts";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import { folderBlobs } from "../../../../../src/service/blobs/folder.ts";
import { type BlobStore, BlobStoreError } from "../../../../../src/service/core/blobs/blob-store.ts";
import { archiveRuns } from "../../../../../src/service/core/runs/archives/archive-runs.ts";
import { readingArchives } from "../../../../../src/service/core/runs/archives/reading-archives.ts";
import { RunExpiry } from "../../../../../src/service/core/runs/expire-runs.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 90 * DAY_MS;

onEveryStore((kind) => {
  describe("events of ended runs", () => {
    let folder: string;
    let blobs: BlobStore;
    /** Happens in the place of the next write of a blob. */
    let insteadOfPut: (() => Promise<void>) | null;
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    /** The history of the session that the latest run was given. */
    let heard: readonly string[];

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "archives-"));
      insteadOfPut = null;
      heard = [];
      const own = folderBlobs(folder);
      blobs = {
        ...own,
        put: async (blob) => {
          const instead = insteadOfPut;
          insteadOfPut = null;
          return await (instead?.() ?? own.put(blob));
        },
      };
      const backend = scriptedBackend(async (task) => {
        heard = (await task.history(10_000)).map(({ content }) => content);
        const words = Number(task.messages.at(-1)?.content);
        await say(task, ...Array.from({ length: words }, (_, index) => `word ${index} "\n" ü `));
      });
      const wrapStore = (store: CoreFixture["store"]) => readingArchives(store, blobs);
      fixture = await startFixture({ level: "core", store: kind, backend, wrapStore });
      fixture.executor.start();
      api = await openCaller(fixture);
      account = await makeAccount(fixture);
    });

    afterEach(async () => {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** A run of so many words, to its end. */
    const speak = async (words: number, sessionId?: string) => {
      const submitted = await fixture.submitter.submit({
        caller: {
          kind: "account",
          accountId: account.id,
          callerClass: "owner",
          personId: null,
          role: "owner",
        },
        agentId: account.agent.id,
        body: { message: String(words), ...(sessionId === undefined ? {} : { session_id: sessionId }) },
        idempotencyKey: null,
      });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      await fixture.ended(submitted.value.runId);
      return submitted.value;
    };
    const sweep = (core = fixture.core) =>
      archiveRuns(core, {
        blobs,
        endedBefore: fixture.clock.now() - DAY_MS,
        isStopped: () => false,
      });
    /** A sweep whose process is killed after so many transactions: the first two begin and name the archive. */
    const sweepKilledAfter = async (transactions: number) => {
      const { core } = fixture;
      let left = transactions;
      const transact: typeof core.store.transact = async (work, options) => {
        if (left === 0) throw new Error("killed");
        left -= 1;
        return await core.store.transact(work, options);
      };
      await expect(sweep({ ...core, store: { ...core.store, transact } })).rejects.toThrow("killed");
    };
    const read = (runId: string, query = "") =>
      api.send(`/v1/ci/runs/${runId}?${query}`, { bearer: account.owner });
    /** By pages of `limit`. */
    const readAll = async (runId: string, limit: number) => {
      const events: unknown[] = [];
      for (let after = 0; ; ) {
        const answer = await read(runId, `after=${after}&limit=${limit}`);
        expect(answer.status).toBe(200);
        const page = ciRunPageSchema.parse(answer.body);
        events.push(...page.events);
        if (page.done) return events;
        expect(page.next).toBeGreaterThan(after);
        after = page.next;
      }
    };
    const rowsOf = async (runId: string) =>
      (await fixture.place.query(`select seq from run_events where run_id = '${runId}'`)).length;
    const contentOf = async (runId: string) =>
      (await fixture.place.query(`select content from runs where id = '${runId}'`))[0]?.content;
    const blobRows = async () => {
      const rows = await fixture.place.query("select state from blobs order by state");
      return rows.map(({ state }) => state);
    };
    const archiveFile = async () => {
      const [name] = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      return name ?? "";
    };

    it("leave the database after their time, and are read as before, page by page", async () => {
      const { runId } = await speak(30);
      const [whole, small] = [await readAll(runId, 1_000), await readAll(runId, 7)];
      const record = (await read(runId)).body;
      fixture.clock.advance(DAY_MS);
      expect(await sweep()).toBe(0);
      fixture.clock.advance(1);
      expect(await sweep()).toBe(1);
      expect([await rowsOf(runId), await contentOf(runId)]).toEqual([0, "archived"]);
      expect(await readAll(runId, 1_000)).toEqual(whole);
      expect(await readAll(runId, 7)).toEqual(small);
      expect((await read(runId)).body).toEqual(record);
      expect(ciRunPageSchema.parse((await read(runId, "after=1000000&wait=5")).body)).toMatchObject({
        events: [],
        done: true,
      });
      expect(await sweep()).toBe(0);
      expect(await blobRows()).toEqual(["kept"]);
    });

    it("are the history of their session as before", async () => {
      const { sessionId } = await speak(2);
      fixture.clock.advance(DAY_MS + 1);
      expect(await sweep()).toBe(1);
      await speak(1, sessionId);
      expect(heard).toEqual(["2", 'word 0 "\n" ü word 1 "\n" ü ']);
    });

    it("stay where their run has not ended for long enough", async () => {
      const old = await speak(1);
      fixture.clock.advance(DAY_MS - 10);
      const young = await speak(1);
      fixture.clock.advance(20);
      expect(await sweep()).toBe(1);
      expect([await rowsOf(old.runId), await rowsOf(young.runId)]).toEqual([0, 6]);
    });

    it("leave in short steps, are whole for readers after each of them, and the rest leaves at the next sweep", async () => {
      // More than a block of the archive holds.
      const { runId } = await speak(9_000);
      const whole = await readAll(runId, 1_000);
      fixture.clock.advance(DAY_MS + 1);
      await sweepKilledAfter(2 + 3);
      expect([await rowsOf(runId), await contentOf(runId)]).toEqual([whole.length - 3_000, "archiving"]);
      expect(await readAll(runId, 1_000)).toEqual(whole);
      expect(await sweep()).toBe(1);
      expect([await rowsOf(runId), await contentOf(runId)]).toEqual([0, "archived"]);
      expect(await readAll(runId, 1_000)).toEqual(whole);
      const [archive] = await fixture.place.query("select blocks from run_archives");
      expect(JSON.parse(String(archive?.blocks)).length).toBeGreaterThan(1);
    });

    it("stay rows while blobs cannot be written, and leave later", async () => {
      const { runId } = await speak(3);
      fixture.clock.advance(DAY_MS + 1);
      insteadOfPut = async () => {
        throw new BlobStoreError("The bucket does not answer.");
      };
      await expect(sweep()).rejects.toThrow("The bucket does not answer.");
      expect([await rowsOf(runId), await contentOf(runId)]).toEqual([8, "kept"]);
      expect(await blobRows()).toEqual(["unfinished"]);
      expect(await sweep()).toBe(1);
      expect(await readAll(runId, 1_000)).toHaveLength(8);
    });

    it("are archived once where two nodes sweep at the same time", async () => {
      const { runId } = await speak(3);
      const whole = await readAll(runId, 1_000);
      fixture.clock.advance(DAY_MS + 1);
      // The other one is faster.
      insteadOfPut = async () => {
        expect(await sweep()).toBe(1);
      };
      expect(await sweep()).toBe(0);
      expect(await blobRows()).toEqual(["discarded", "kept"]);
      expect(await readAll(runId, 1_000)).toEqual(whole);
    });

    it("are said to be lost where their blob is missing or damaged", async () => {
      const { runId } = await speak(3);
      fixture.clock.advance(DAY_MS + 1);
      await sweep();
      const file = await archiveFile();
      const content = await readFile(file);
      await writeFile(file, content.with(20, (content[20] ?? 0) ^ 1));
      const damaged = await read(runId);
      expect([damaged.status, problemSchema.parse(damaged.body).code]).toEqual([500, "contents_lost"]);
      await rm(file);
      expect(problemSchema.parse((await read(runId)).body).code).toBe("contents_lost");
      // Another blob in its place is read again: a failure is not remembered.
      await writeFile(file, content);
      expect(await readAll(runId, 1_000)).toHaveLength(8);
    });

    it("are deleted with their archive once they are kept no longer", async () => {
      const { runId } = await speak(3);
      fixture.clock.advance(DAY_MS + 1);
      await sweep();
      fixture.clock.advance(KEPT_MS);
      expect(await new RunExpiry(fixture.core, { keptMs: KEPT_MS }).sweep()).toBe(1);
      expect((await read(runId)).status).toBe(410);
      expect(await fixture.place.query("select run_id from run_archives")).toEqual([]);
      expect(await blobRows()).toEqual(["discarded"]);
      expect(await sweep()).toBe(0);
    });

    it("are deleted in the middle of their move, too", async () => {
      const { runId } = await speak(2_500);
      fixture.clock.advance(KEPT_MS + 1);
      await sweepKilledAfter(2 + 1);
      expect(await contentOf(runId)).toBe("archiving");
      expect(await new RunExpiry(fixture.core, { keptMs: KEPT_MS }).sweep()).toBeGreaterThan(0);
      expect([await rowsOf(runId), await contentOf(runId)]).toEqual([0, "deleted"]);
      expect(await blobRows()).toEqual(["discarded"]);
      expect((await read(runId)).status).toBe(410);
    });
  });
});
