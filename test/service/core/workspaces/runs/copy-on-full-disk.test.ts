// The disk of runs' files is full when a worker of a workspace begins: it has not failed, and begins once there is room.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyFolders } from "../../../../../src/service/checkouts/copies/copy-folders.ts";
import { StorageFullError } from "../../../../../src/service/core/ports/storage-full.ts";
import { holderOf } from "../../../../../src/service/core/workspaces/copies/copy.ts";
import { openRunCopy } from "../../../../../src/service/core/workspaces/runs/open-run-copy.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { SmallDisk } from "../../../../support/small-disk.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

const MEGABYTES = 16;

onEveryStore((store) => {
  it("keeps its copy, and is saved once it has worked", { tags: ["small-disk"] }, async () => {
    const disk = SmallDisk.mount(MEGABYTES);
    if (disk === null) throw new Error("No disk could be mounted.");
    const fixture = await CoreFixture.start({ store });
    try {
      const { core } = fixture;
      const workspace = await TestWorkspace.make(core);
      const copyId = await workspace.makeCopy();
      const submitted = await fixture.trySubmit({ message: "Work." });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      const [run, input] = [await core.store.committed.runs.find(runId), { messages: [] }];
      if (run === null) throw new Error("There is no run.");
      const workerId = core.random.uuid(core.clock.now());
      await core.store.transact((tx) =>
        tx.workers.insert({
          ...{ id: workerId, workspaceId: workspace.id, taskGroupId: workerId, copyId, runId },
          ...{
            agentId: run.agentId,
            saveState: "none",
            savedRevisionId: null,
            saveError: null,
            savedAt: null,
          },
          ...{ shareMicroUsd: null, createdBy: { type: "owner" }, createdAt: core.clock.now() },
        }),
      );
      const open = () =>
        openRunCopy(core, {
          taken: { run: { ...run, fence: 1 }, input: { ...input, maxTurnTokens: 0, job: null } },
          workspace: { workspaceId: workspace.id, copyId, taskGroupId: workerId, workerId },
          hasJournal: false,
          earlierFolder: undefined,
          signal: AbortSignal.timeout(60_000),
          folders: copyFolders({
            folder: join(disk.folder, "runs"),
            environment: { PATH: process.env.PATH },
            maxObjects: 1_000,
          }),
          copyId,
        });
      disk.fill();
      await expect(open()).rejects.toThrow(StorageFullError);
      const worker = async () => (await core.store.committed.workers.find(workerId))?.worker;
      expect(await worker()).toMatchObject({ saveState: "none", saveError: null });
      expect(holderOf(await workspace.copy(copyId))).toMatchObject({ runId });

      disk.makeRoom();
      const opened = await open();
      if (!opened.ok) throw new Error(opened.refusal.detail);
      const { checkout } = opened.value;
      await writeFile(join(checkout.root, "work.txt"), "work\n");
      await checkout.close();
      expect(await worker()).toMatchObject({ saveState: "saved", saveError: null });
      expect(holderOf(await workspace.copy(copyId))).toBeNull();
    } finally {
      await fixture.close();
      disk.unmount();
    }
  });
});
