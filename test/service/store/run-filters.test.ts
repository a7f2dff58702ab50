// The filters of /runs on both stores: rare runs are found by indexes of their own.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

onEveryStore((kind) => {
  describe("the filters of an account's runs", () => {
    let place: StorePlace;
    let store: Store;

    beforeAll(async () => {
      place = await kind.make();
      store = await place.open();
      await store.transact(async (tx) => {
        for (let at = 0; at < 300; at += 1) {
          const id = `run-${String(at).padStart(4, "0")}`;
          const state = at === 3 ? "failed" : at === 4 ? "queued" : "completed";
          const ended = { status: "completed", stopReason: "end_turn", startedAt: 1, endedAt: 2 } as const;
          const run = makeRun({
            id,
            sessionId: `session-${id}`,
            ...(state === "queued" ? {} : ended),
            ...(state === "failed" ? { status: "failed", cause: "backend_error" } : {}),
            ...(at === 5 ? { origin: "schedule" } : {}),
            ...(at === 6 ? { startedBy: "github:12" } : {}),
          });
          await tx.runs.insert(run, makeRunInput());
        }
      });
    });

    afterAll(async () => {
      await store.close();
      await place.remove();
    });

    it.each([
      ["runs_state", { state: "failed" }, "run-0003"],
      ["runs_state", { state: "queued" }, "run-0004"],
      ["runs_origin", { origin: "schedule" }, "run-0005"],
      ["runs_started_by", { startedBy: "github:12" }, "run-0006"],
    ] as const)("has %s for %o", async (_index, filter, id) => {
      const query = { state: null, origin: null, startedBy: null, ...filter, agentIds: ["agent-1"] };
      const found = await store.committed.runs.listOfAgents({ ...query, before: null, limit: 51 });
      expect(found.map((run) => run.id)).toEqual([id]);
    });

    const conditions = {
      runs_state:
        "status = 'failed' and status in ('queued', 'running', 'cancelling', 'failed', 'cancelled')",
      runs_origin: "origin = 'schedule' and origin in ('schedule', 'background', 'agent', 'agent_result')",
      runs_started_by: "started_by = 'github:12'",
    };
    it.each(Object.entries(conditions))("reads by %s", async (index, condition) => {
      const explain = kind.name === "SQLite" ? "explain query plan" : "explain";
      if (kind.name === "PostgreSQL") await place.query("analyze runs");
      const plan = await place.query(
        `${explain} select * from runs where agent_id = 'agent-1' and ${condition} order by id desc limit 51`,
      );
      // PostgreSQL may read so few runs by another one.
      expect(JSON.stringify(plan)).toContain(kind.name === "SQLite" ? index : "Index Scan");
    });
  });
});
