// Deleting a copy on the real stores: nobody writes to it from then on, and nothing of it is left.

import { describe, expect, it } from "vitest";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { createCopy } from "../../../../../src/service/core/workspaces/copies/create-copy.ts";
import { deleteCopy } from "../../../../../src/service/core/workspaces/copies/delete-copy.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

onEveryStore((store) => {
  describe("a copy", () => {
    it("is deleted with what was not saved, and without its revisions", async () => {
      const fixture = await CoreFixture.start({ store });
      const workspace = await TestWorkspace.make(fixture.core);
      const { core, request } = workspace;
      const copyId = await workspace.makeCopy();
      const saved = await workspace.commit(copyId, { "a.txt": "one" });
      await workspace.write(copyId, { "b.txt": "two", "c.txt": "three" });
      const begun = await deleteCopy(core, { ...request, copyId });
      if (!begun.ok) throw new Error(begun.refusal.reason);
      expect(await workspace.ended(begun.value.id)).toMatchObject({
        status: "succeeded",
        result: { copyId },
      });
      expect(await core.store.committed.copies.find(copyId)).toBeNull();
      expect(await core.store.committed.copies.countChanges([copyId])).toEqual(new Map());
      expect(await workspace.files(saved.treeOid)).toEqual({ "a.txt": "one" });
      expect(await deleteCopy(core, { ...request, copyId })).toMatchObject({
        refusal: { reason: "copy_not_found" },
      });
      const again = { ...request, body: { base_revision_id: saved.id }, idempotencyKey: null };
      expect((await createCopy(core, again)).ok).toBe(true);
      await fixture.close();
    });

    it("is not deleted while a run holds it, nor where it is the canonical one", async () => {
      const fixture = await CoreFixture.start({ store });
      const workspace = await TestWorkspace.make(fixture.core);
      const { core, request, canonicalId } = workspace;
      const copyId = await workspace.makeCopy();
      await core.store.transact((tx) => tx.copies.hold(copyId, { runId: "run-1", fence: 1 }));
      expect(await deleteCopy(core, { ...request, copyId })).toMatchObject({
        refusal: { reason: "copy_held", runId: "run-1" },
      });
      expect(await deleteCopy(core, { ...request, copyId: canonicalId })).toMatchObject({
        refusal: { reason: "copy_canonical" },
      });
      await fixture.close();
    });

    it("whose deletion was begun by a process that died has one operation, which another ends", async () => {
      const fixture = await CoreFixture.start({ store });
      const workspace = await TestWorkspace.make(fixture.core);
      const { core, request } = workspace;
      const copyId = await workspace.makeCopy();
      await workspace.write(copyId, { "a.txt": "one" });
      // A process that takes up nothing, as one that is about to end.
      await core.workspaces?.operations.stop();
      const begun = await deleteCopy(core, { ...request, copyId });
      const again = await deleteCopy(core, { ...request, copyId });
      expect(begun).toMatchObject({ ok: true, value: { status: "queued" } });
      expect(again).toEqual(begun);
      fixture.clock.advance(10_000);
      const next = fixture.nextProcess();
      expect(await takeUpOperations(next)).toBe(1);
      if (!begun.ok) throw new Error(begun.refusal.reason);
      await next.workspaces?.operations.settled(begun.value.id);
      expect(await workspace.operation(begun.value.id)).toMatchObject({ status: "succeeded" });
      await fixture.close();
    });
  });
});
