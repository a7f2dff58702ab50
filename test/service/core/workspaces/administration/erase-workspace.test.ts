// A workspace is deleted with all that it was made of, on the real stores; its operation stays as the receipt.

import { describe, expect, it } from "vitest";
import { eraseWorkspace } from "../../../../../src/service/core/workspaces/administration/erase-workspace.ts";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { createCopy } from "../../../../../src/service/core/workspaces/copies/create-copy.ts";
import { contentOf, keepContents } from "../../../../../src/service/core/workspaces/objects/keep-objects.ts";
import { findOperation } from "../../../../../src/service/core/workspaces/operations/read-operation.ts";
import { createPin } from "../../../../../src/service/core/workspaces/retention/pins.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

onEveryStore((store) => {
  describe("the erasure of a workspace", () => {
    /** The tables with rows of the workspace. */
    const tablesWith = async ({ place }: CoreFixture, workspaceId: string) => {
      const columns =
        place.settings.databaseUrl === null
          ? "select m.name as name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c.name = 'workspace_id'"
          : "select table_name as name from information_schema.columns where column_name = 'workspace_id' and table_schema = current_schema()";
      const tables: string[] = [];
      for (const { name } of await place.query(columns)) {
        const rows = await place.query(`select 1 from ${name} where workspace_id = '${workspaceId}' limit 1`);
        if (rows.length > 0) tables.push(String(name));
      }
      return tables.sort();
    };

    const fill = async ({ core, clock }: CoreFixture, workspace: TestWorkspace) => {
      const { id: workspaceId } = workspace;
      const copyId = await workspace.makeCopy();
      const revision = await workspace.commit(copyId, { "a.txt": "one", "b/c.txt": "two" });
      await workspace.write(copyId, { "d.txt": "unsaved" });
      const body = { revision_id: revision.id, reason: "release" };
      await createPin(core, { ...workspace.request, body, idempotencyKey: "pin" });
      const content = await contentOf(core, { workspaceId, data: Buffer.alloc(200_000, "x") });
      await core.store.transact((tx) =>
        keepContents(tx, { workspaceId, contents: [content], now: clock.now() }),
      );
    };

    it("leaves no row and no blob, and the receipt", async () => {
      const fixture = await CoreFixture.start({ store });
      const { core, place } = fixture;
      const [workspace, other] = [await TestWorkspace.make(core), await TestWorkspace.make(core)];
      await fill(fixture, workspace);
      await fill(fixture, other);
      const untouched = await tablesWith(fixture, other.id);
      expect(untouched).toContain("workspace_objects");
      const begun = await eraseWorkspace(core, workspace.request);
      if (!begun.ok) throw new Error(begun.refusal.reason);
      const { id: operationId } = begun.value;
      expect(await workspace.ended(operationId)).toMatchObject({ status: "succeeded" });
      expect(await tablesWith(fixture, workspace.id)).toEqual(["operations"]);
      expect(await tablesWith(fixture, other.id)).toEqual(untouched);
      expect(await place.query("select state from blobs")).toEqual([{ state: "kept" }]);
      const read = { ...workspace.request, operationId, waitMs: 0, signal: new AbortController().signal };
      expect(await findOperation(core, read)).toMatchObject({ ok: true, value: { kind: "erase_workspace" } });
      expect(await eraseWorkspace(core, workspace.request)).toMatchObject({
        refusal: { reason: "workspace_not_found" },
      });
      await fixture.close();
    });

    it("is the owner's, begins once, and lets nothing be made meanwhile", async () => {
      const fixture = await CoreFixture.start({ store });
      const { core } = fixture;
      const workspace = await TestWorkspace.make(core);
      await fill(fixture, workspace);
      const caller = { ...workspace.owner, callerClass: "ai_client" as const };
      expect(await eraseWorkspace(core, { ...workspace.request, caller })).toMatchObject({
        refusal: { reason: "owner_needed" },
      });
      // A process that is about to end: it begins, and does not go on.
      await core.workspaces?.operations.stop();
      const begun = await eraseWorkspace(core, workspace.request);
      const again = await eraseWorkspace(core, workspace.request);
      if (!begun.ok || !again.ok) throw new Error("The erasure was refused.");
      expect(again.value.id).toBe(begun.value.id);
      expect((await workspace.read()).state).toBe("erasing");
      const copy = await createCopy(core, { ...workspace.request, body: {}, idempotencyKey: null });
      expect(copy).toMatchObject({ refusal: { reason: "workspace_erasing" } });
      fixture.clock.advance(10_000);
      const next = fixture.nextProcess();
      expect(await takeUpOperations(next)).toBe(1);
      await next.workspaces?.operations.settled(begun.value.id);
      expect(await tablesWith(fixture, workspace.id)).toEqual(["operations"]);
      await fixture.close();
    });
  });
});
