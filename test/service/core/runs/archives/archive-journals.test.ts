// Journals of ended runs in a blob: read as before, lost by no failure of the move, and deleted wherever they are.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealingKeyOf } from "../../../../../src/base/sealed-text.ts";
import { folderBlobs } from "../../../../../src/service/blobs/folder.ts";
import {
  type BlobStore,
  BlobStoreError,
  ContentsLostError,
} from "../../../../../src/service/core/blobs/blob-store.ts";
import type { Core } from "../../../../../src/service/core/core.ts";
import { archiveJournals } from "../../../../../src/service/core/runs/archives/archive-journals.ts";
import { readingArchives } from "../../../../../src/service/core/runs/archives/reading-archives.ts";
import { RunExpiry } from "../../../../../src/service/core/runs/expire-runs.ts";
import { keptTurns } from "../../../../../src/service/core/runs/fork-run.ts";
import { finishRun, takeRun } from "../../../../../src/service/core/runs/progress-run.ts";
import { keepEntry, openEntries } from "../../../../../src/service/core/runs/run-journal.ts";
import { noUsage } from "../../../../../src/service/core/runs/usage.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const keys = { current: sealingKeyOf(Buffer.alloc(32, 1)), previous: null };

onEveryStore((kind) => {
  describe("journals of ended runs", () => {
    let folder: string;
    let blobs: BlobStore;
    /** Happens in the place of the next write of a blob. */
    let insteadOfPut: (() => Promise<void>) | null;
    let fixture: CoreFixture;
    let core: Core;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "journals-"));
      insteadOfPut = null;
      const own = folderBlobs(folder);
      blobs = {
        ...own,
        put: async (blob) => {
          const instead = insteadOfPut;
          insteadOfPut = null;
          return await (instead?.() ?? own.put(blob));
        },
      };
      const backend = scriptedBackend((task) => say(task, "done"));
      const wrapStore = (store: CoreFixture["store"]) => readingArchives(store, blobs);
      fixture = await startFixture({ level: "core", store: kind, backend, wrapStore });
      core = {
        ...fixture.core,
        journalKeys: keys,
        policy: { ...fixture.core.policy, journalMs: 7 * DAY_MS },
      };
    });

    afterEach(async () => {
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** A run at work with two turns, the second with its files. */
    const play = async () => {
      const runId = await fixture.submit();
      await takeRun(core, runId);
      const tree = { tree: "1".repeat(40), pack: "a pack ".repeat(2_000) };
      for (const entry of [
        { entry: 1, kind: "begun" },
        { entry: 2, kind: "turn", turn: 1, body: { said: "a secret of the repository" } },
        { entry: 3, kind: "turn", turn: 2, body: { said: "more" }, tree },
      ] as const)
        await keepEntry(core, { runId, fence: 1, events: [], entry });
      return runId;
    };
    const finish = async (runId: string) => {
      const ending = { status: "completed", stopReason: "end_turn" } as const;
      const ended = { events: [], ending, usage: noUsage, hasDelegated: false, hasJournal: true };
      await finishRun(core, { runId, fence: 1, ...ended });
      return runId;
    };
    const sweep = (by: Core = core) =>
      archiveJournals(by, { blobs, endedBefore: fixture.clock.now() - DAY_MS, isStopped: () => false });
    const rows = async () => (await fixture.place.query("select entry from run_journal")).length;
    const archives = async () => (await fixture.place.query("select run_id from journal_archives")).length;
    const blobStates = async () => {
      const states = await fixture.place.query("select state from blobs order by state");
      return states.map(({ state }) => state);
    };
    const archiveFile = async () => {
      const [name] = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      return name ?? "";
    };

    it("leave the database after their time, sealed, and are read as before", async () => {
      const runId = await finish(await play());
      const before = [await openEntries(core, runId), await keptTurns(core, runId)];
      expect(before[1]).toHaveLength(2);
      fixture.clock.advance(DAY_MS);
      expect(await sweep()).toBe(0);
      fixture.clock.advance(1);
      expect(await sweep()).toBe(1);
      expect([await rows(), await archives(), await blobStates()]).toEqual([0, 1, ["kept"]]);
      expect([await openEntries(core, runId), await keptTurns(core, runId)]).toEqual(before);
      expect((await readFile(await archiveFile())).includes("secret")).toBe(false);
      expect(await sweep()).toBe(0);
    });

    it("stay where their run is at work, however long", async () => {
      await play();
      fixture.clock.advance(3 * DAY_MS);
      expect(await sweep()).toBe(0);
      expect([await rows(), await archives()]).toEqual([3, 0]);
    });

    it("stay rows while blobs cannot be written, and leave later", async () => {
      await finish(await play());
      fixture.clock.advance(DAY_MS + 1);
      insteadOfPut = async () => {
        throw new BlobStoreError("The bucket does not answer.");
      };
      await expect(sweep()).rejects.toThrow("The bucket does not answer.");
      expect([await rows(), await blobStates()]).toEqual([3, ["unfinished"]]);
      expect(await sweep()).toBe(1);
      expect([await rows(), await archives()]).toEqual([0, 1]);
    });

    it("are whole after a process that was killed at any step, and leave at the next sweep", async () => {
      const runId = await finish(await play());
      const before = await openEntries(core, runId);
      fixture.clock.advance(DAY_MS + 1);
      for (const killedAt of [0, 1]) {
        let left = killedAt;
        const transact: typeof core.store.transact = async (work, options) => {
          if (left === 0) throw new Error("killed");
          left -= 1;
          return await core.store.transact(work, options);
        };
        await expect(sweep({ ...core, store: { ...core.store, transact } })).rejects.toThrow("killed");
        expect(await openEntries(core, runId)).toEqual(before);
      }
      expect(await sweep()).toBe(1);
      expect(await openEntries(core, runId)).toEqual(before);
    });

    it("are archived once where two nodes sweep at the same time", async () => {
      const runId = await finish(await play());
      const before = await openEntries(core, runId);
      fixture.clock.advance(DAY_MS + 1);
      insteadOfPut = async () => {
        expect(await sweep()).toBe(1);
      };
      expect(await sweep()).toBe(0);
      expect([await archives(), await blobStates()]).toEqual([1, ["discarded", "kept"]]);
      expect(await openEntries(core, runId)).toEqual(before);
    });

    it("that are deleted while they leave, leave nothing", async () => {
      const runId = await finish(await play());
      const { agentId } = await fixture.run(runId);
      fixture.clock.advance(DAY_MS + 1);
      const now = fixture.clock.now();
      insteadOfPut = () => fixture.store.transact((tx) => tx.journal.deleteEnded({ agentId, now }));
      expect(await sweep()).toBe(0);
      expect([await rows(), await archives(), await blobStates()]).toEqual([0, 0, ["discarded"]]);
      expect(await keptTurns(core, runId)).toEqual([]);
    });

    it("are said to be lost where their blob is missing or damaged", async () => {
      const runId = await finish(await play());
      fixture.clock.advance(DAY_MS + 1);
      await sweep();
      const file = await archiveFile();
      const content = await readFile(file);
      await writeFile(file, content.with(20, (content[20] ?? 0) ^ 1));
      await expect(openEntries(core, runId)).rejects.toThrow(ContentsLostError);
      await rm(file);
      await expect(openEntries(core, runId)).rejects.toThrow("The archive of a run's journal is lost.");
    });

    it("are deleted with their archive: after their days, with the run's events, and with the agent", async () => {
      const deletions: readonly (readonly [string, (runId: string) => Promise<unknown>])[] = [
        [
          "after JOURNAL_DAYS",
          async () => {
            fixture.clock.advance(6 * DAY_MS);
            await new RunExpiry(core, { keptMs: 0 }).sweep();
          },
        ],
        ["with the events", () => new RunExpiry(core, { keptMs: DAY_MS }).sweep()],
        [
          "with the agent",
          async (runId) => {
            const { agentId } = await fixture.run(runId);
            const now = fixture.clock.now();
            await fixture.store.transact((tx) => tx.journal.deleteEnded({ agentId, now }));
          },
        ],
      ];
      for (const [at, [why, remove]] of deletions.entries()) {
        const runId = await finish(await play());
        fixture.clock.advance(DAY_MS + 1);
        expect(await sweep(), why).toBe(1);
        expect(await keptTurns(core, runId), why).toHaveLength(2);
        await remove(runId);
        expect(await keptTurns(core, runId), why).toEqual([]);
        expect(await archives(), why).toBe(0);
        expect(await blobStates(), why).toEqual(Array.from({ length: at + 1 }, () => "discarded"));
      }
    });
  });
});
