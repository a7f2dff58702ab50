// Nodes that share a store, on each: what they write of themselves, and what others read.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NodeState } from "../../../../src/service/core/nodes/node.ts";
import { hideNode, listNodes, showNode } from "../../../../src/service/core/nodes/nodes.ts";
import { RefusalTally } from "../../../../src/service/core/nodes/refusal-tally.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("nodes", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store });
    });

    afterEach(() => fixture.close());

    const coreOf = (change: Partial<NodeState>) => {
      const refusals = new RefusalTally();
      const state = () => ({ ...fixture.core.node.state(), ...change, refusals: refusals.counts });
      return { store: fixture.store, node: { isAlone: false, refusals, state } };
    };

    it("show the others what they execute and refuse, and themselves as they are", async () => {
      const first = coreOf({ id: "a", name: "one", startedAt: 1, runIds: ["run-1"] });
      const second = coreOf({ id: "b", name: "two", role: "worker", startedAt: 2 });
      await showNode(first);
      await showNode(second);
      first.node.refusals.count("quota_exhausted");
      first.node.refusals.count("quota_exhausted");
      expect((await listNodes(first)).map(({ name, refusals }) => [name, refusals])).toEqual([
        ["one", { quota_exhausted: 2 }],
        ["two", {}],
      ]);
      expect((await listNodes(second))[0]?.refusals).toEqual({});
      await showNode(first);
      expect(
        (await listNodes(second)).map(({ id, role, runIds, refusals }) => [id, role, runIds, refusals]),
      ).toEqual([
        ["a", "all", ["run-1"], { quota_exhausted: 2 }],
        ["b", "worker", [], {}],
      ]);
    });

    it("are not there any more once they leave, and are forgotten a day after they were lost", async () => {
      const left = coreOf({ id: "left" });
      const lost = coreOf({ id: "lost", seenAt: 1_000 });
      const reader = coreOf({ id: "reader" });
      for (const node of [left, lost]) await showNode(node);
      await hideNode(left);
      expect((await listNodes(reader)).map(({ id }) => id)).toEqual(["lost", "reader"]);
      const step = (now: number) =>
        fixture.store.transact((tx) => tx.expiry.deleteExpired({ now, auditedBefore: 0, limit: 10 }));
      await step(86_400_000);
      expect(await listNodes(reader)).toHaveLength(2);
      await step(86_400_000 + 1_001);
      expect((await listNodes(reader)).map(({ id }) => id)).toEqual(["reader"]);
    });

    it("write nothing where one is alone", async () => {
      expect(await listNodes(fixture.core)).toEqual([fixture.core.node.state()]);
      expect(await fixture.store.committed.nodes.list()).toEqual([]);
    });
  });
});
