// A store from before reviews were kept by pull request: they are what the deliveries of its runs say, the newest of each.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { DeliveryReport } from "../../../src/contract/runs/delivery.ts";
import type { RunRecord } from "../../../src/service/core/runs/run-record.ts";
import { noCounts, type ReportedCounts } from "../../support/reported-reviews.ts";
import { undoPullReviews } from "../../support/stores/before-usage.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

/** What PostgreSQL reads as no JSON, what only looks like it, and what looks like counts. */
const TITLE = 'a\0b\ud800c \\u0000 \\\\udfff 👍 "findings":{"new":9}';

onEveryStore((kind) => {
  let place: StorePlace;
  afterEach(() => place.remove());

  it("keeps the newest counts of each account, agent and pull request", async () => {
    place = await kind.make();
    const before = await place.open();
    const insert = async (id: string, counts: ReportedCounts | null, more: Partial<RunRecord> = {}) => {
      const report: DeliveryReport = {
        conclusion: "success",
        title: TITLE,
        ...(counts === null ? {} : { findings: { ...noCounts, ...counts } }),
      };
      const ended = { status: "completed", endedAt: 2_000, repository: "github:octo/hello" } as const;
      const delivery = { state: "reported", at: 3_000, by: "job", report } as const;
      const run = makeRun({ id, sessionId: `session of ${id}`, ...ended, delivery, ...more });
      await before.transact((tx) => tx.runs.insert(run, makeRunInput()));
    };
    await insert("run-1", { new: 3 }, { endedAt: 1_000 });
    await insert("run-3", { new: 1, open: 2, fixed: 4, declined: 5, withdrawn: 6 });
    // Ended last, but was submitted before.
    await insert("run-2", { open: 9 }, { endedAt: 9_000 });
    await insert("run-4", null);
    await insert("run-5", { open: 9 }, { status: "running", endedAt: null });
    await insert("run-6", { pull_request: 8, fixed: 1 }, { billingAccount: "account:1" });
    await insert("run-7", { fixed: 2 }, { agentId: "agent-2", repository: "github:octo/other" });
    await insert("run-8", null, { delivery: { state: "expected" } });
    await insert("run-9", null, { delivery: null });
    await before.close();
    const { dataDir, databaseUrl } = place.settings;
    for (const statement of [...undoPullReviews, "delete from kysely_migration where name >= '031'"]) {
      if (databaseUrl !== null) {
        await place.query(statement);
        continue;
      }
      const database = new DatabaseSync(join(dataDir, "agent-service.sqlite"));
      database.exec(statement);
      database.close();
    }

    const store = await place.open();
    try {
      const free = makeRun().billingAccount;
      const rows = await place.query("select * from pull_reviews order by run_id");
      expect(
        rows.map((row) => [row.billing_account, row.agent_id, row.repository, row.run_id, ...numbersOf(row)]),
      ).toEqual([
        [free, "agent-1", "github:octo/hello", "run-3", 7, 2_000, 1_000, 3, 3, 4, 5, 6],
        ["account:1", "agent-1", "github:octo/hello", "run-6", 8, 2_000, 2_000, 1, 0, 1, 0, 0],
        [free, "agent-2", "github:octo/other", "run-7", 7, 2_000, 2_000, 1, 0, 2, 0, 0],
      ]);
    } finally {
      await store.close();
    }
  });
});

function numbersOf(row: Record<string, unknown>): number[] {
  const times = ["ended_at", "first_ended_at", "rounds"];
  return ["pull_request", ...times, "open", "fixed", "declined", "withdrawn"].map((name) =>
    Number(row[name]),
  );
}
