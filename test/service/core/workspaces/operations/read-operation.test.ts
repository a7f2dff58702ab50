// A long poll of an operation, on the real stores.

import { describe, expect, it } from "vitest";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { queuedOperation } from "../../../../../src/service/core/workspaces/operations/operation.ts";
import { findOperation } from "../../../../../src/service/core/workspaces/operations/read-operation.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

const WAIT_MS = 5_000;
const HOUR_MS = 60 * 60_000;

onEveryStore((store) => {
  describe("an operation", () => {
    const withOperation = async (
      work: (given: { fixture: CoreFixture; workspace: TestWorkspace; operationId: string }) => Promise<void>,
    ) => {
      const fixture = await CoreFixture.start({ store });
      try {
        const workspace = await TestWorkspace.make(fixture.core);
        const now = fixture.clock.now();
        const copyId = await workspace.makeCopy();
        const input = { working_copy_id: copyId, message: "m", author: { type: "owner" }, run_id: null };
        const operation = queuedOperation({
          id: fixture.core.random.uuid(now),
          workspaceId: workspace.id,
          now,
          input,
          accountId: workspace.owner.accountId,
          kind: "checkpoint" as const,
        });
        await fixture.store.transact((tx) => tx.operations.insert(operation));
        await work({ fixture, workspace, operationId: operation.id });
      } finally {
        await fixture.close();
      }
    };

    it.each([
      ["forward", HOUR_MS],
      ["back", -HOUR_MS],
    ])("is waited for as long as was asked when the node's clock is set %s", (_way, byMs) =>
      withOperation(async ({ fixture, workspace, operationId }) => {
        const { clock, core } = fixture;
        let isAnswered = false;
        const found = findOperation(core, {
          ...workspace.request,
          operationId,
          waitMs: WAIT_MS,
          signal: new AbortController().signal,
        }).finally(() => {
          isAnswered = true;
        });
        await clock.whenSleeping();
        clock.setWall(byMs);
        for (let passed = 0; passed < WAIT_MS; passed += 1_000) {
          expect(isAnswered).toBe(false);
          await clock.pass(1_000);
          // What woke up reads the store before it sleeps again or answers.
          if (passed + 1_000 < WAIT_MS) await clock.whenSleeping();
        }
        expect(await found).toMatchObject({ ok: true, value: { status: "queued" } });
      }),
    );

    it("is not taken up by another process because a clock was set, and is once nobody works at it", () =>
      withOperation(async ({ fixture, workspace, operationId }) => {
        const { clock, core } = fixture;
        clock.setWall(HOUR_MS);
        expect(await takeUpOperations(core)).toBe(0);
        clock.setWall(-2 * HOUR_MS);
        expect(await takeUpOperations(core)).toBe(0);
        clock.advance(9_000);
        expect(await takeUpOperations(core)).toBe(1);
        expect(await workspace.ended(operationId)).toMatchObject({ status: "succeeded", fence: 2 });
      }));
  });
});
