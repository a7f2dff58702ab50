// The disk of runs' files is full: what needs room says so, leaves nothing behind, and works once there is room.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitCheckouts } from "../../../src/service/checkouts/git-checkouts.ts";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import { StorageFullError } from "../../../src/service/core/ports/storage-full.ts";
import { SmallDisk } from "../../support/small-disk.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { keep } from "./kept-tree-fixture.ts";

const MEGABYTES = 48;
const limits = {
  maxBytes: 50_000_000,
  maxCheckoutBytes: 50_000_000,
  cloneTimeoutMs: 60_000,
  maxUnfoldedBytes: 1_000_000_000,
  maxCpuSeconds: 60,
};
const signal = () => AbortSignal.timeout(30_000);

describe("a full disk", { tags: ["small-disk"] }, () => {
  let disk: SmallDisk;
  let fixture: CheckoutFixture;
  beforeEach(async () => {
    const mounted = SmallDisk.mount(MEGABYTES);
    if (mounted === null) throw new Error("No disk could be mounted.");
    disk = mounted;
    fixture = await CheckoutFixture.make();
  });
  afterEach(async () => {
    await fixture.close();
    disk.unmount();
  });

  const provider = () =>
    gitCheckouts({ folder: join(disk.folder, "runs"), limits, environment: process.env });
  const runs = async () => await readdir(join(disk.folder, "runs")).catch(() => []);

  async function opened(sha: string | null): Promise<Checkout> {
    const result =
      sha === null
        ? await provider().openEmpty({ runId: "run-1" }, signal())
        : await provider().open(fixture.source(sha), signal());
    if (!result.ok) throw new Error(result.refusal.detail);
    return result.value;
  }

  it.each(["a commit", "nothing"] as const)("opens no checkout of %s until there is room", async (what) => {
    const sha = what === "nothing" ? null : fixture.repository.commit({ files: { a: "one\n" } });
    disk.fill();
    await expect(opened(sha)).rejects.toThrow(StorageFullError);
    expect(await runs()).toEqual([]);
    disk.makeRoom();
    const checkout = await opened(sha);
    expect(await checkout.files()).toHaveLength(sha === null ? 0 : 1);
    await checkout.close();
  });

  it("keeps no tree, and brings none back, until there is room", async () => {
    const sha = fixture.repository.commit({ files: { a: "one\n" } });
    const first = await opened(sha);
    await writeFile(join(first.root, "b"), "two\n");
    disk.fill();
    await expect(first.keepTree(null)).rejects.toThrow(StorageFullError);
    disk.makeRoom();
    const kept = await keep(first);
    await first.close();
    const second = await opened(sha);
    disk.fill();
    await expect(second.bringBack(kept)).rejects.toThrow(StorageFullError);
    disk.makeRoom();
    await second.bringBack(kept);
    expect((await second.workingChanges()).files).toMatchObject([{ path: "b" }]);
    await second.close();
  });
});
