// A copy that a run with a journal holds: nobody else has it before the run has ended, however long its worker is silent.

import { afterEach, describe, expect, it } from "vitest";
import { COPY_HOLD_MS, holderOf } from "../../../../../src/service/core/workspaces/copies/copy.ts";
import { writeTexts } from "../../../../../src/service/core/workspaces/files/write-texts.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { type Parking, parkingOf } from "../../../../support/parking.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

onEveryStore((store) => {
  describe("a copy whose run has a journal", () => {
    let parking: Parking;
    let fixture: CoreFixture;
    afterEach(async () => {
      await fixture.close();
      await parking.remove();
    });

    it("is held as long as the run has not ended, and given back by no start of a process", async () => {
      const begun = Promise.withResolvers<void>();
      const rest = Promise.withResolvers<void>();
      parking = await parkingOf(async () => {
        begun.resolve();
        await rest.promise;
        return { stopReason: "end_turn" };
      });
      fixture = await startFixture({ level: "core", store, ...parking });
      fixture.executor.start();
      const { core } = fixture;
      const workspace = await TestWorkspace.make(core);
      const copyId = await workspace.makeCopy();
      const submitted = await fixture.trySubmit({ message: "Work." });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      await begun.promise;
      await core.store.transact((tx) => tx.copies.hold(copyId, { runId, fence: 1 }));
      await fixture.clock.advance(2 * COPY_HOLD_MS);

      expect(holderOf(await workspace.copy(copyId))).toEqual({ runId, fence: 1, hasExpired: false });
      const listed = { workspaceId: workspace.id, before: null, limit: 10 };
      const idsOf = async (state: "held" | "ready") =>
        (await core.store.committed.copies.list({ ...listed, state })).map(({ id }) => id);
      expect([await idsOf("held"), await idsOf("ready")]).toEqual([[copyId], [workspace.canonicalId]]);
      const place = { kind: "copy" as const, copyId };
      const texts = [{ path: "a.txt", content: "a\n", etag: null, mode: null }];
      expect(await writeTexts(core, { ...workspace.request, place, texts })).toMatchObject({
        refusal: { reason: "copy_held", runId },
      });
      expect(await core.store.transact((tx) => tx.copies.releaseAll())).toBe(0);

      rest.resolve();
      await fixture.ended(runId);
      expect(holderOf(await workspace.copy(copyId))).toBeNull();
      expect(await core.store.transact((tx) => tx.copies.releaseAll())).toBe(1);
    });
  });
});
