// What nothing needs is deleted after a while, on the real stores; what anything names stays whole.

import { describe, expect, it } from "vitest";
import { deleteCopy } from "../../../../../src/service/core/workspaces/copies/delete-copy.ts";
import { contentOf, keepContents } from "../../../../../src/service/core/workspaces/objects/keep-objects.ts";
import { createPin, deletePin } from "../../../../../src/service/core/workspaces/retention/pins.ts";
import { readRetention } from "../../../../../src/service/core/workspaces/retention/read-retention.ts";
import { sweepWorkspaces } from "../../../../../src/service/core/workspaces/retention/sweep-workspaces.ts";
import { deleteRevision } from "../../../../../src/service/core/workspaces/revisions/delete-revision.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

const DAY_MS = 24 * 60 * 60_000;

onEveryStore((store) => {
  describe("what a workspace keeps", () => {
    const inWorkspace = async (work: (workspace: TestWorkspace, fixture: CoreFixture) => Promise<void>) => {
      const fixture = await CoreFixture.start({ store });
      try {
        await work(await TestWorkspace.make(fixture.core), fixture);
      } finally {
        await fixture.close();
      }
    };
    const sweep = ({ core }: TestWorkspace) => sweepWorkspaces(core, new AbortController().signal);
    const oidsOf = async ({ id }: TestWorkspace, { place }: CoreFixture) => {
      const rows = await place.query(`select oid from workspace_objects where workspace_id = '${id}'`);
      return new Set(rows.map(({ oid }) => String(oid)));
    };
    const cleanupOf = async (workspace: TestWorkspace) => {
      const query = { limit: 100 };
      const read = await readRetention(workspace.core, { ...workspace.request, view: "cleanup", query });
      if (!read.ok || read.value.view !== "cleanup") throw new Error("There is no cleanup.");
      return read.value.page.items;
    };

    it("is an old revision only where something needs it", () =>
      inWorkspace(async (workspace, fixture) => {
        const { core, clock } = fixture;
        const { currentRevisionId } = await workspace.read();
        const copyId = await workspace.makeCopy();
        const first = await workspace.commit(copyId, { "a.txt": "one" });
        clock.advance(1);
        const second = await workspace.commit(copyId, { "a.txt": "two" });
        const pinned = await workspace.commit(copyId, { "a.txt": "three" });
        const last = await workspace.commit(copyId, { "a.txt": "four" });
        const body = { revision_id: pinned.id, reason: "release" };
        const pin = await createPin(core, { ...workspace.request, body, idempotencyKey: "pin" });
        if (!pin.ok) throw new Error(pin.refusal.reason);
        const due = await cleanupOf(workspace);
        expect(due.map(({ item }) => item)).toEqual([
          { kind: "revision", revisionId: first.id },
          { kind: "revision", revisionId: second.id },
        ]);
        expect(due[0]?.deleteAt).toBe(first.createdAt + 30 * DAY_MS);
        expect(due[1]?.deleteAt).toBe(second.createdAt + 30 * DAY_MS);

        await sweep(workspace);
        expect(await core.store.committed.revisions.find(first.id)).not.toBeNull();
        clock.advance(31 * DAY_MS);
        await sweep(workspace);
        expect(await core.store.committed.revisions.find(first.id)).toBeNull();
        expect(await core.store.committed.revisions.find(second.id)).toBeNull();
        // Its parents are those that are left, and its history as git sees it is whole.
        expect((await workspace.revision(pinned.id)).parentIds).toEqual([currentRevisionId]);
        expect((await workspace.revision(last.id)).parentIds).toEqual([pinned.id]);
        expect(await workspace.files(first.treeOid)).toEqual({ "a.txt": "one" });

        await deletePin(core, { ...workspace.request, pinId: pin.value.id });
        expect(await cleanupOf(workspace)).toHaveLength(1);
        await sweep(workspace);
        expect(await core.store.committed.revisions.find(pinned.id)).toBeNull();
      }));

    it("is what anything names: copies, what was written to them, trash, and the history of revisions", () =>
      inWorkspace(async (workspace, fixture) => {
        const { core, clock } = fixture;
        const gone = await workspace.makeCopy();
        const kept = await workspace.makeCopy();
        const lost = await workspace.commit(gone, { "lost/a.txt": "nobody's", "same.txt": "shared" });
        await workspace.write(gone, { "unsaved.txt": "never saved" });
        await workspace.commit(kept, { "src/deep/b.txt": "kept", "same.txt": "shared" });
        await workspace.write(kept, { "c.txt": "written", "d.txt": "first" });
        await workspace.write(kept, { "d.txt": "second" });
        const begun = await deleteCopy(core, { ...workspace.request, copyId: gone });
        if (!begun.ok) throw new Error(begun.refusal.reason);
        await workspace.ended(begun.value.id);
        expect((await deleteRevision(core, { ...workspace.request, revisionId: lost.id })).ok).toBe(true);
        const before = await oidsOf(workspace, fixture);

        clock.advance(23 * 60 * 60_000);
        await sweep(workspace);
        expect(await oidsOf(workspace, fixture)).toEqual(before);
        clock.advance(2 * 60 * 60_000);
        await sweep(workspace);
        const after = await oidsOf(workspace, fixture);
        // Of the lost revision its commit, two trees and a file; what was never saved; what was overwritten.
        expect(before.size - after.size).toBe(6);
        const { baseTreeOid } = await workspace.copy(kept);
        expect(await workspace.files(baseTreeOid)).toEqual({
          "src/deep/b.txt": "kept",
          "same.txt": "shared",
        });
        await workspace.save(kept);
        const saved = await workspace.copy(kept);
        expect(await workspace.files(saved.baseTreeOid)).toMatchObject({
          "c.txt": "written",
          "d.txt": "second",
        });

        // What was swept can be written again.
        const again = await workspace.makeCopy();
        const revision = await workspace.commit(again, { "lost/a.txt": "nobody's", "same.txt": "shared" });
        expect(revision.treeOid).toBe(lost.treeOid);
        expect(await workspace.files(lost.treeOid)).toEqual({
          "lost/a.txt": "nobody's",
          "same.txt": "shared",
        });
      }));

    it("is not deleted by a sweep that races with who comes to need it", () =>
      inWorkspace(async (workspace, fixture) => {
        const { clock } = fixture;
        const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
        const files = Object.fromEntries(texts.map((text, index) => [`f${index}.txt`, text]));
        const first = await workspace.makeCopy();
        await workspace.write(first, files);
        await workspace.write(first, Object.fromEntries(Object.keys(files).map((path) => [path, null])));
        clock.advance(2 * DAY_MS);
        const second = await workspace.makeCopy();
        await Promise.all([
          sweep(workspace),
          ...Object.entries(files).map(([path, text]) => workspace.write(second, { [path]: text })),
        ]);
        await workspace.save(second);
        clock.advance(2 * DAY_MS);
        await sweep(workspace);
        expect(await workspace.files((await workspace.copy(second)).baseTreeOid)).toEqual(files);
      }));

    it("is a large file's blob no longer than the file", () =>
      inWorkspace(async (workspace, fixture) => {
        const { core, clock, place } = fixture;
        const data = Buffer.alloc(200_000, "x");
        const content = await contentOf(core, { workspaceId: workspace.id, data });
        const now = clock.now();
        await core.store.transact((tx) =>
          keepContents(tx, { workspaceId: workspace.id, contents: [content], now }),
        );
        await content.release();
        expect(await place.query("select state from blobs")).toEqual([{ state: "kept" }]);
        clock.advance(2 * DAY_MS);
        await sweep(workspace);
        expect(await place.query("select state from blobs")).toEqual([{ state: "discarded" }]);
      }));
  });
});
