// Runs whose commit cannot be read, since the bucket refuses the service: the operator's fault, not the caller's.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { s3Blobs } from "../../../../src/service/blobs/s3.ts";
import { gitCheckouts } from "../../../../src/service/checkouts/git-checkouts.ts";
import { PackCache } from "../../../../src/service/checkouts/packs/pack-cache.ts";
import type { CheckoutProvider } from "../../../../src/service/core/checkouts/checkout.ts";
import type { HeldPack } from "../../../../src/service/core/commits/held-pack.ts";
import { instantClock } from "../../../support/clocks/instant-clock.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { openS3Gate, type S3Gate } from "../../../support/s3-gate.ts";
import { startS3Server } from "../../../support/s3-server.ts";
import { briefingBackend } from "../../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { CheckoutFixture } from "../../checkouts/checkout-fixture.ts";

const limits = {
  maxBytes: 50_000_000,
  maxCheckoutBytes: 50_000_000,
  cloneTimeoutMs: 60_000,
  maxUnfoldedBytes: 1_000_000_000,
  maxCpuSeconds: 60,
  maxObjects: 1_000,
  maxCommits: 100,
  maxUploads: 1,
  maxUploadsOfOwner: 1,
  maxWaitingUploads: 1,
  maxWaitingUploadsOfOwner: 1,
  uploadWaitMs: 1_000,
};
const file = { key: "packs/one", bytes: 100, sha256: "0".repeat(64) };

function packOf(tip: string): HeldPack {
  const repository = { issuer: "https://issuer.example", id: "1" };
  const times = { createdAt: 0, usedAt: 0 };
  return {
    id: "one",
    repository,
    tip,
    shallow: [],
    bases: [],
    objects: 1,
    bytes: 200,
    pack: file,
    index: file,
    ...times,
  };
}

onEveryStore((kind) => {
  describe("runs whose commit a bucket keeps", () => {
    let git: CheckoutFixture;
    let gate: S3Gate;
    let fixture: CoreFixture;
    let isCommitSent: boolean;

    beforeEach(async () => {
      git = await CheckoutFixture.make();
      gate = await openS3Gate(await startS3Server());
      isCommitSent = true;
      const blobs = s3Blobs({ config: gate.config, clock: instantClock(), random: () => 0 });
      const cache = new PackCache({ folder: join(git.folder, "packs"), maxBytes: 1_000_000, blobs });
      const real = gitCheckouts({
        folder: join(git.folder, "runs"),
        limits,
        environment: process.env,
        packs: { cache, limits },
      });
      const checkouts: CheckoutProvider = {
        ...real,
        open: async (source, signal) => {
          const held = { packs: [packOf(source.sha)], shallow: [], baseSha: null };
          const asked = { ...source, visibility: "private" as const };
          return await real.open(isCommitSent ? { ...asked, held } : asked, signal);
        },
      };
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend: briefingBackend,
        checkouts,
        refundsPerDay: 3,
      });
      fixture.executor.start();
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await gate.stop();
      await git.close();
    });

    const play = async () => await fixture.ended(await fixture.submit());

    it("are all refunded while it answers 403, and leave the day's refunds to what callers make fail", async () => {
      gate.judge(() => 403);
      for (let run = 0; run < 30; run += 1) {
        const ended = await play();
        expect(ended).toMatchObject({
          status: "failed",
          cause: "spawn_failed",
          retryable: true,
          refundReason: "storage_unavailable",
          refundWithheldReason: null,
        });
        expect(ended.refundedMicroUsd).toBe(ended.grossMicroUsd);
        expect(ended.grossMicroUsd).toBeGreaterThan(0);
      }
      expect(gate.seen.length).toBeGreaterThan(0);
      isCommitSent = false;
      for (let run = 0; run < 3; run += 1)
        expect(await play()).toMatchObject({ refundReason: "spawn_failed", refundWithheldReason: null });
      expect(await play()).toMatchObject({ refundedMicroUsd: 0, refundWithheldReason: "refund_limit" });
      isCommitSent = true;
      expect(await play()).toMatchObject({ refundReason: "storage_unavailable" });
    });

    it("are all refunded where it has lost what was sent", async () => {
      for (let run = 0; run < 5; run += 1)
        expect(await play()).toMatchObject({ refundReason: "contents_lost", refundWithheldReason: null });
    });
  });
});
