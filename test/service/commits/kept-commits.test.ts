// How much of a repository is held and for how long: quota, expiry, and what a crash leaves. On each store, with real git.

import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount } from "../../../src/service/core/accounts/keys.ts";
import { retireAgent } from "../../../src/service/core/agent-endings/retire-agent.ts";
import type { BlobStore } from "../../../src/service/core/blobs/blob-store.ts";
import { OwnBlobs } from "../../../src/service/core/blobs/own-blobs.ts";
import { findCommit } from "../../../src/service/core/commit-uploads/find-commit.ts";
import { sendCommit } from "../../../src/service/core/commit-uploads/send-commit.ts";
import { expirePacks } from "../../../src/service/core/commits/expire-packs.ts";
import type { Core } from "../../../src/service/core/core.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import { chunks, PackFixture } from "../checkouts/packs/pack-fixture.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUOTA = 100_000;

onEveryStore((kind) => {
  describe("kept commits", () => {
    let fixture: CoreFixture;
    let packs: PackFixture;
    let core: Core;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      packs = await PackFixture.make();
      core = coreWith(packs.blobs);
    });

    afterEach(async () => {
      await fixture.close();
      await packs.remove();
    });

    function coreWith(blobs: BlobStore): Core {
      const limits = { maxUploadBytes: 60_000, quotaBytes: QUOTA, keptMs: 14 * DAY_MS, history: 50 };
      const { receiver } = packs.kept();
      const own = new OwnBlobs({ ...fixture.core, blobs, areBesideStore: true });
      return { ...fixture.core, commits: { blobs, own, receiver, isNeededBy: () => true, limits } };
    }

    /** About 30 KB that nothing makes smaller. */
    const commit = (parents: readonly string[] = []) =>
      packs.repository.commit({ files: { "a.bin": randomBytes(30_000) }, parents });

    async function send(sha: string, base: readonly string[] = [], within: Core = core) {
      const pack = packs.pack([sha, ...base.map((one) => `^${one}`)]);
      return await sendCommit(within, {
        caller: await fixture.caller(),
        sha,
        pullRequest: 7,
        bases: base,
        size: pack.length,
        content: chunks(pack),
        signal: AbortSignal.timeout(30_000),
      });
    }

    async function find(sha: string) {
      const found = await findCommit(core, { caller: await fixture.caller(), sha, pullRequest: 7 });
      if (!found.ok) throw new Error(found.refusal.reason);
      return found.value;
    }

    const isHeld = async (tip: string) => {
      const repository = { issuer: "https://issuer.example", id: "1001" };
      return (await fixture.store.committed.packs.findHeld({ repository, tip })) !== null;
    };
    const blobFiles = async () => {
      const names = await readdir(join(packs.folder, "blobs"), { recursive: true }).catch(() => []);
      return names.filter((name) => /\.(pack|idx|part)$/.test(name));
    };
    const rows = async () => await fixture.place.query("select key from blobs");

    it("make room, the least recently used first", async () => {
      const shas = [commit(), commit(), commit()];
      for (const sha of shas) {
        expect((await send(sha)).ok).toBe(true);
        fixture.clock.advance(MINUTE_MS);
      }
      fixture.clock.advance(15 * MINUTE_MS);
      expect(await find(shas[0] ?? "")).toMatchObject({ present: true });
      const fourth = commit();
      expect((await send(fourth)).ok).toBe(true);
      expect(await Promise.all([...shas, fourth].map(isHeld))).toEqual([true, false, true, true]);
      await expirePacks(core);
      expect(await blobFiles()).toHaveLength(6);
      expect(await rows()).toHaveLength(6);
    });

    it("stay while they were used just now: an upload is refused, and says how much is free", async () => {
      for (const sha of [commit(), commit(), commit()]) expect((await send(sha)).ok).toBe(true);
      const next = commit();
      const { max_bytes } = await find(next);
      expect(max_bytes).toBeLessThan(15_000);
      expect(await send(next)).toMatchObject({
        refusal: { reason: "upload_quota", left: max_bytes, quota: QUOTA },
      });
    });

    it("stay while a run that has not ended works on them, with what they build on", async () => {
      const base = commit();
      expect((await send(base)).ok).toBe(true);
      const head = packs.repository.commit({ files: { "b.bin": randomBytes(20_000) }, parents: [base] });
      expect((await send(head, [base])).ok).toBe(true);
      const other = commit();
      expect((await send(other)).ok).toBe(true);
      const pull_request = { number: 7, head_sha: head, base_ref: "main" };
      const submitted = await fixture.trySubmit({ message: "go", pull_request });
      expect(submitted.ok).toBe(true);
      fixture.clock.advance(60 * MINUTE_MS);
      expect((await send(commit())).ok).toBe(true);
      expect(await Promise.all([base, head, other].map(isHeld))).toEqual([true, true, false]);
    });

    it("are deleted when the agent is retired, but for those of runs that have not ended", async () => {
      const [head, other] = [commit(), commit()];
      for (const sha of [head, other]) expect((await send(sha)).ok).toBe(true);
      const pull_request = { number: 7, head_sha: head, base_ref: "main" };
      expect((await fixture.trySubmit({ message: "go", pull_request })).ok).toBe(true);
      const { agentId } = (await fixture.caller()).capability;
      const { id: accountId } = await openAccount(fixture.core, "subscribed");
      await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const caller = {
        kind: "account",
        accountId,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      expect((await retireAgent(core, { caller, agentId })).ok).toBe(true);
      expect(await Promise.all([head, other].map(isHeld))).toEqual([true, false]);
      await expirePacks(core);
      expect(await blobFiles()).toHaveLength(2);
    });

    it("are deleted some time after their last use, rows and blobs", async () => {
      const [old, used] = [commit(), commit()];
      for (const sha of [old, used]) expect((await send(sha)).ok).toBe(true);
      fixture.clock.advance(10 * DAY_MS);
      expect(await find(used)).toMatchObject({ present: true });
      fixture.clock.advance(5 * DAY_MS);
      await expirePacks(core);
      expect([await isHeld(old), await isHeld(used)]).toEqual([false, true]);
      expect(await blobFiles()).toHaveLength(2);
      fixture.clock.advance(15 * DAY_MS);
      await expirePacks(core);
      expect([await isHeld(used), await blobFiles(), await rows()]).toEqual([false, [], []]);
    });

    it("keep what newer ones build on", async () => {
      const base = commit();
      expect((await send(base)).ok).toBe(true);
      fixture.clock.advance(10 * DAY_MS);
      const head = packs.repository.commit({ files: { "b.bin": randomBytes(2_000) }, parents: [base] });
      expect((await send(head, [base])).ok).toBe(true);
      fixture.clock.advance(5 * DAY_MS);
      await expirePacks(core);
      expect([await isHeld(base), await isHeld(head)]).toEqual([true, true]);
    });

    it("leave nothing of an upload whose process ended between a blob and its row", async () => {
      const sha = commit();
      const { promise: isStuck, resolve: tell } = Promise.withResolvers<void>();
      const dying: BlobStore = {
        ...packs.blobs,
        put: async (blob) => {
          await packs.blobs.put(blob);
          tell();
          await new Promise(() => {});
        },
      };
      // Nothing of it goes on from here, as after a kill.
      void send(sha, [], coreWith(dying));
      await isStuck;
      expect(await blobFiles()).toHaveLength(1);
      expect(await find(sha)).toMatchObject({ present: false });
      await expirePacks(core);
      expect(await blobFiles()).toHaveLength(1);
      fixture.clock.advance(3 * 60 * MINUTE_MS);
      await expirePacks(core);
      expect([await blobFiles(), await rows()]).toEqual([[], []]);
    });

    it("leave nothing of an upload that is refused, or whose blobs cannot be written", async () => {
      const sha = commit();
      const refused = await sendCommit(core, {
        caller: await fixture.caller(),
        sha,
        pullRequest: 7,
        bases: [],
        size: 30,
        content: chunks(Buffer.alloc(30)),
        signal: AbortSignal.timeout(30_000),
      });
      expect(refused).toMatchObject({ refusal: { reason: "pack_malformed" } });
      const full: BlobStore = {
        ...packs.blobs,
        put: async () => {
          throw new Error("the disk is full");
        },
      };
      await expect(send(sha, [], coreWith(full))).rejects.toThrow("the disk is full");
      await expirePacks(core);
      expect([await blobFiles(), await rows()]).toEqual([[], []]);
      expect((await send(sha)).ok).toBe(true);
    });

    it("may be sent twice at the same time", async () => {
      const sha = commit();
      await fixture.caller();
      const both = await Promise.all([send(sha), send(sha)]);
      expect(both.map(({ ok }) => ok)).toEqual([true, true]);
      expect(await find(sha)).toMatchObject({ present: true });
    });
  });
});
