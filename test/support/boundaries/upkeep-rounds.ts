// What a service does by itself when it starts: it goes on with what it was killed at, and deletes what nothing needs.

import { expect } from "vitest";
import type { BoundaryService, Round } from "./boundary-service.ts";
import type { CommitSource } from "./commit-source.ts";
import {
  expectFiles,
  expectRevision,
  type Files,
  large,
  makeCopy,
  makeWorkspace,
  newFiles,
  operationEnded,
  orNull,
  replace,
  save,
  write,
} from "./workspace-files.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Longer than anything is kept that nobody needs. */
const LONG_AFTER_MS = 60 * DAY_MS;

/** Rounds by the names of what they do. */
export const upkeepRounds: Readonly<
  Record<string, (service: BoundaryService, source: CommitSource) => Promise<Round>>
> = {
  "the collection of what nothing needs": async (service, source) => {
    // The last round has moved the clock on.
    if (service.aheadMs > 0) await service.startAgain();
    const waste = await makeWaste(service, source);
    await service.kill();
    let aheadMs = LONG_AFTER_MS;
    // A sweep that was cut off is done on the next day.
    const startLater = async () => {
      aheadMs += 2 * DAY_MS;
      await service.startAgain({ aheadMs });
    };
    return {
      act: startLater,
      settle: async () => {
        if (service.aheadMs === 0) await startLater();
        await service.until(async () => waste.onlyNeeded(await service.keysOf("kept")));
      },
      check: () => waste.expectNeeded(),
    };
  },

  "the deletion of discarded blobs": async (service, source) => {
    if (service.aheadMs > 0) await service.startAgain();
    const waste = await makeWaste(service, source);
    await service.startAgain({ aheadMs: LONG_AFTER_MS });
    await service.until(async () => waste.onlyNeeded(await service.keysOf("kept")));
    await service.kill();
    return {
      act: () => service.startAgain(),
      settle: () => service.until(async () => waste.onlyNeeded(await service.listBlobs())),
      check: () => waste.expectNeeded(),
    };
  },

  "the start after an erasure was cut off": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const { operation_id: operationId } = await service.client.workspaces.delete({ workspaceId });
    await service.kill();
    return {
      act: () => service.startAgain(),
      settle: async () => {
        const ended = await operationEnded(service, { workspaceId, operationId });
        expect(ended.status).toBe("succeeded");
      },
      check: async (isAcknowledged) => {
        if (!isAcknowledged) return;
        expect(await orNull(() => service.client.workspaces.get({ workspaceId }))).toBeNull();
        const keys = await service.listBlobs();
        expect(keys.filter((key) => key.includes(workspaceId))).toEqual([]);
      },
    };
  },
};

type Waste = {
  /** Whether of its blobs only those are among `keys` that something needs. */
  onlyNeeded(keys: readonly string[]): boolean;
  expectNeeded(): Promise<void>;
};

/** Contents that were replaced or deleted, a revision that nobody accepted, a commit that nobody uses; and files that are needed. */
async function makeWaste(service: BoundaryService, source: CommitSource): Promise<Waste> {
  const before = new Set(await service.keysOf("kept"));
  const workspaceId = await makeWorkspace(service, { "replaced.txt": large(), "deleted.txt": large() });
  const workingCopyId = await makeCopy(service, workspaceId);
  await write(service, { workspaceId, workingCopyId, files: { "never-accepted.txt": large() } });
  await save(service, { workspaceId, workingCopyId });
  const removed = await service.client.copies.delete({ workspaceId, workingCopyId });
  await operationEnded(service, { workspaceId, operationId: removed.id });
  const sha = source.packs.repository.commit({ files: newFiles() });
  const job = await source.job(service, sha);
  await service.persist(() => source.send(service, job, sha));
  await replace(service, { workspaceId, files: { "replaced.txt": "small" } });
  await service.client.files.delete({ workspaceId, body: { path: "deleted.txt" } });
  const wasted = new Set((await service.keysOf("kept")).filter((key) => !before.has(key)));
  const needed = newFiles();
  await write(service, { workspaceId, files: needed });
  const revisionId = await save(service, { workspaceId });
  const files: Files = { ...needed, "replaced.txt": "small" };
  return {
    onlyNeeded: (keys) => keys.every((key) => !wasted.has(key)),
    expectNeeded: async () => {
      await expectFiles(service, { workspaceId, files, isAcknowledged: true });
      await expectRevision(service, { workspaceId, revisionId, files });
    },
  };
}
