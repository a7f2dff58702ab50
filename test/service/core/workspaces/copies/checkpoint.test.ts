// Checkpoints on the real stores: what was written becomes a revision, what is written meanwhile stays unsaved.

import { describe, expect, it } from "vitest";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { requestCheckpoint } from "../../../../../src/service/core/workspaces/copies/checkpoint.ts";
import { keepSave, prepareSave } from "../../../../../src/service/core/workspaces/copies/save-copy.ts";
import { queuedOperation } from "../../../../../src/service/core/workspaces/operations/operation.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

onEveryStore((store) => {
  describe("a checkpoint", () => {
    const inWorkspace = async (work: (workspace: TestWorkspace, fixture: CoreFixture) => Promise<void>) => {
      const fixture = await CoreFixture.start({ store });
      try {
        await work(await TestWorkspace.make(fixture.core), fixture);
      } finally {
        await fixture.close();
      }
    };

    it("makes a revision of what a copy holds, which is its base from then on", () =>
      inWorkspace(async (workspace) => {
        const copyId = await workspace.makeCopy();
        const before = await workspace.copy(copyId);
        await workspace.write(copyId, { "a.txt": "one", "src/b.txt": "two", "gone.txt": null });
        const operation = await workspace.save(copyId, "First");
        const copy = await workspace.copy(copyId);
        expect(operation).toMatchObject({ status: "succeeded", result: { isUnchanged: false } });
        expect(operation.result.revisionId).toBe(copy.baseRevisionId);
        expect(copy.savedRevisionId).toBe(copy.baseRevisionId);
        const revision = await workspace.revision(copy.baseRevisionId);
        expect(revision).toMatchObject({
          parentIds: [before.baseRevisionId],
          message: "First",
          files: 2,
          bytes: 6,
          acceptedAt: null,
          treeOid: copy.baseTreeOid,
          author: { type: "owner" },
        });
        expect(await workspace.files(copy.baseTreeOid)).toEqual({ "a.txt": "one", "src/b.txt": "two" });
        expect(await workspace.core.store.committed.copies.countChanges([copyId])).toEqual(new Map());
        const { currentRevisionId } = await workspace.read();
        expect(currentRevisionId).toBe(before.baseRevisionId);

        await workspace.write(copyId, { "a.txt": "longer", "src/b.txt": null });
        await workspace.save(copyId);
        const later = await workspace.revision((await workspace.copy(copyId)).baseRevisionId);
        expect(later).toMatchObject({ parentIds: [revision.id], files: 1, bytes: 6 });
      }));

    it("of the canonical copy is accepted by its owner, who alone makes it", () =>
      inWorkspace(async (workspace) => {
        const { canonicalId, core, request } = workspace;
        const { currentRevisionId: before } = await workspace.read();
        const revision = await workspace.commit(canonicalId, { "a.txt": "one" });
        expect(revision).toMatchObject({ parentIds: [before], acceptedAt: core.clock.now() });
        expect((await workspace.read()).currentRevisionId).toBe(revision.id);
        const others = [
          { ...workspace.owner, callerClass: "ai_client" as const },
          {
            kind: "member_run" as const,
            accountId: workspace.owner.accountId,
            workspaceId: workspace.id,
            agentId: "agent",
            runId: "run",
          },
        ];
        for (const caller of others) {
          const refused = await requestCheckpoint(core, {
            ...request,
            caller,
            body: {},
            idempotencyKey: null,
          });
          expect(refused).toMatchObject({ ok: false, refusal: { reason: "owner_needed" } });
        }
      }));

    it("without changes is the revision that is there", () =>
      inWorkspace(async (workspace) => {
        const copyId = await workspace.makeCopy();
        const { id } = await workspace.commit(copyId, { "a.txt": "one" });
        // Written again as it is: nothing has changed.
        await workspace.write(copyId, { "a.txt": "one", "b.txt": null });
        expect((await workspace.save(copyId)).result).toEqual({ revisionId: id, isUnchanged: true });
        expect(await workspace.core.store.committed.copies.countChanges([copyId])).toEqual(new Map());
      }));

    it("keeps what is written while it is made, on top of what it saved", () =>
      inWorkspace(async (workspace) => {
        const { core } = workspace;
        const copyId = await workspace.makeCopy();
        await workspace.write(copyId, { "a.txt": "one", "b.txt": "two", "c.txt": "three" });
        const prepared = await prepareSave(core, await workspace.copy(copyId));
        await workspace.write(copyId, { "a.txt": "later", "b.txt": null, "d.txt": "new" });
        const saved = await core.store.transact((tx) =>
          keepSave(core, tx, { prepared, message: "m", author: { type: "owner" }, holderRunId: null }),
        );
        expect(saved.ok).toBe(true);
        const copy = await workspace.copy(copyId);
        expect(await workspace.files(copy.baseTreeOid)).toEqual({
          "a.txt": "one",
          "b.txt": "two",
          "c.txt": "three",
        });
        const left = await core.store.committed.copyEntries.listAll(copyId);
        expect(left.map(({ path }) => path).sort()).toEqual(["a.txt", "b.txt", "d.txt"]);
        await workspace.save(copyId);
        const { baseTreeOid } = await workspace.copy(copyId);
        expect(await workspace.files(baseTreeOid)).toEqual({
          "a.txt": "later",
          "c.txt": "three",
          "d.txt": "new",
        });
      }));

    it("that was prepared on a base which moved keeps nothing", () =>
      inWorkspace(async (workspace) => {
        const { core } = workspace;
        const copyId = await workspace.makeCopy();
        await workspace.write(copyId, { "a.txt": "one" });
        const prepared = await prepareSave(core, await workspace.copy(copyId));
        await workspace.save(copyId);
        await workspace.write(copyId, { "a.txt": "two" });
        const saved = await core.store.transact((tx) =>
          keepSave(core, tx, { prepared, message: "m", author: { type: "owner" }, holderRunId: null }),
        );
        expect(saved).toMatchObject({ ok: false, refusal: { reason: "copy_moved" } });
        expect(await core.store.committed.copies.countChanges([copyId])).toEqual(new Map([[copyId, 1]]));
      }));

    it("of a copy that a run holds is that run's alone", () =>
      inWorkspace(async (workspace, { clock }) => {
        const { core, request } = workspace;
        const copyId = await workspace.makeCopy();
        await workspace.write(copyId, { "a.txt": "one" });
        const now = clock.now();
        await core.store.transact((tx) => tx.copies.hold(copyId, { runId: "run-1", fence: 1 }));
        const ask = { ...request, body: { working_copy_id: copyId }, idempotencyKey: null };
        expect(await requestCheckpoint(core, ask)).toMatchObject({
          ok: false,
          refusal: { reason: "copy_held", runId: "run-1" },
        });
        const agentId = core.random.uuid(now);
        const run = { kind: "member_run" as const, agentId, runId: "run-1", workspaceId: workspace.id };
        const caller = { ...run, accountId: workspace.owner.accountId };
        const begun = await requestCheckpoint(core, { ...ask, caller });
        expect(begun).toMatchObject({ ok: true, value: { status: "succeeded" } });
        const revision = await workspace.revision((await workspace.copy(copyId)).baseRevisionId);
        expect(revision.author).toEqual({ type: "run", run_id: "run-1", agent_id: agentId });
        // Its lease runs out: the copy is nobody's.
        clock.advance(60_000);
        await workspace.write(copyId, { "a.txt": "two" });
        expect(await workspace.save(copyId)).toMatchObject({ status: "succeeded" });
      }));

    it("is taken up by another process where its own has died, and is done once", () =>
      inWorkspace(async (workspace, { clock }) => {
        const { core } = workspace;
        const copyId = await workspace.makeCopy();
        await workspace.write(copyId, { "a.txt": "one" });
        const now = clock.now();
        const input = { working_copy_id: copyId, message: "m", author: { type: "owner" }, run_id: null };
        const operation = queuedOperation({
          id: core.random.uuid(now),
          workspaceId: workspace.id,
          now,
          input,
          accountId: workspace.owner.accountId,
          kind: "checkpoint" as const,
        });
        await core.store.transact((tx) => tx.operations.insert(operation));
        expect(await takeUpOperations(core)).toBe(0);
        clock.advance(10_000);
        expect((await Promise.all([takeUpOperations(core), takeUpOperations(core)])).sort()).toEqual([0, 1]);
        expect(await workspace.ended(operation.id)).toMatchObject({ status: "succeeded", fence: 2 });
        const page = { workspaceId: workspace.id, isAccepted: null, before: null, limit: 10 };
        expect(await core.store.committed.revisions.list(page)).toHaveLength(2);
      }));
  });
});
