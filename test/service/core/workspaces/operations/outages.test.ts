// Operations whose storage is away for a while, on the real stores and a real S3 server behind a gate.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { s3Blobs } from "../../../../../src/service/blobs/s3.ts";
import type { BlobStore } from "../../../../../src/service/core/blobs/blob-store.ts";
import { eraseWorkspace } from "../../../../../src/service/core/workspaces/administration/erase-workspace.ts";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { contentOf, keepContents } from "../../../../../src/service/core/workspaces/objects/keep-objects.ts";
import { type InstantClock, instantClock } from "../../../../support/clocks/instant-clock.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { openS3Gate, type S3Gate } from "../../../../support/s3-gate.ts";
import { startS3Server } from "../../../../support/s3-server.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LARGE = 200_000;

onEveryStore((store) => {
  describe("an operation whose storage is away", () => {
    let gate: S3Gate;
    let blobs: BlobStore;
    let bucketClock: InstantClock;
    let fixture: CoreFixture;
    let workspace: TestWorkspace;

    beforeEach(async () => {
      gate = await openS3Gate(await startS3Server());
      bucketClock = instantClock();
      blobs = s3Blobs({ config: gate.config, clock: bucketClock, random: () => 0 });
      fixture = await CoreFixture.start({ store, blobs });
      workspace = await TestWorkspace.make(fixture.core);
    });

    afterEach(async () => {
      await fixture.close();
      await gate.stop();
    });

    /** Contents that are kept in blobs. Returns their keys. */
    const keepLarge = async (letters: string): Promise<string[]> => {
      const { core, clock } = fixture;
      const keys: string[] = [];
      for (const letter of letters) {
        const data = Buffer.alloc(LARGE, letter);
        const content = await contentOf(core, { workspaceId: workspace.id, data });
        await core.store.transact((tx) =>
          keepContents(tx, { workspaceId: workspace.id, contents: [content], now: clock.now() }),
        );
        keys.push(content.object.blobKey ?? "");
      }
      return keys;
    };

    /** Lets so much time pass, and works at what is due then. */
    const workAfter = async (ms: number, operationId: string) => {
      const { core, clock } = fixture;
      clock.advance(ms);
      await bucketClock.sleep(ms);
      await takeUpOperations(core);
      await core.workspaces?.operations.settled(operationId);
      return await workspace.operation(operationId);
    };

    const erase = async () => {
      const begun = await eraseWorkspace(fixture.core, workspace.request);
      if (!begun.ok) throw new Error(begun.refusal.reason);
      await fixture.core.workspaces?.operations.settled(begun.value.id);
      return begun.value.id;
    };

    it("proves an erasure only when nothing is left, and says how much is", async () => {
      const keys = await keepLarge("abcdef");
      gate.judge(({ method }) => (method === "DELETE" ? 500 : "pass"));
      const bucket = s3Blobs({ config: gate.config, clock: instantClock(), random: () => 0 });
      const operationId = await erase();
      for (let attempts = 1; attempts <= 8; attempts += 1) {
        const operation = await workAfter(MINUTE_MS, operationId);
        expect(operation).toMatchObject({ status: "running", progress: { left: keys.length } });
      }
      for (const key of keys) expect(await bucket.head(key)).toEqual({ size: LARGE });
      // Also after more than a day: what is to be deleted is not given up.
      expect(await workAfter(30 * HOUR_MS, operationId)).toMatchObject({ status: "running" });
      gate.judge(() => "pass");
      // One call finds out that the bucket answers again: others at the same time may still be refused.
      await workAfter(10 * MINUTE_MS, operationId);
      expect(await workAfter(10 * MINUTE_MS, operationId)).toMatchObject({ status: "succeeded" });
      for (const key of keys) expect(await bucket.head(key)).toBeNull();
      expect(await fixture.place.query("select key from blobs")).toEqual([]);
    });

    it("waits for an upload that was at work when the erasure began", async () => {
      const [key = ""] = await keepLarge("a");
      const now = fixture.clock.now();
      const unfinished = `${key.slice(0, key.lastIndexOf("/"))}/unfinished`;
      await fixture.store.transact((tx) => tx.blobs.begin({ keys: [unfinished], now }));
      const operationId = await erase();
      expect(await workspace.operation(operationId)).toMatchObject({
        status: "running",
        progress: { left: 1 },
      });
      const step = { begunBefore: now + HOUR_MS, now: now + HOUR_MS, limit: 10 };
      await fixture.store.transact((tx) => tx.blobs.discardUnfinished(step));
      expect(await workAfter(HOUR_MS, operationId)).toMatchObject({ status: "succeeded" });
    });
  });
});
