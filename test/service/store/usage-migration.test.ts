// A store from before ledgers and usage could be read: each posting is in the ledger that it belongs to, so that its lines sum to the
// balance, and a run whose input is kept says its repository and who started its job.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { readLedger } from "../../../src/service/core/accounts/read-ledger.ts";
import { accountWallet, EARNED, GRANTS, HELD } from "../../../src/service/core/money/ledger.ts";
import type { RunInput } from "../../../src/service/core/runs/run-record.ts";
import { undoUsage } from "../../support/stores/before-usage.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const ACCOUNT = "01890000-0000-7000-8000-000000000001";
const wallet = accountWallet(ACCOUNT);

onEveryStore((kind) => {
  let place: StorePlace;
  afterEach(() => place.remove());

  it("keeps sums, repositories and people", async () => {
    place = await kind.make();
    const before = await place.open();
    const { provider, issuer, repository, sha, ref, event, baseRef, cloneUrl } = makeRunInput().job ?? {};
    const commit = {
      from: "default_branch",
      place: { provider, issuer, repository, sha, ref, event, baseRef, cloneUrl },
    } as RunInput["commit"];
    await before.transact(async (tx) => {
      await tx.ledger.open(wallet);
      await tx.ledger.post({
        id: "g",
        at: 1,
        kind: "grant",
        from: GRANTS,
        to: wallet,
        microUsd: 50,
        runId: null,
      });
      const run = makeRun({ id: "of-job", agentId: "agent-1", billingAccount: wallet, sessionId: "s1" });
      // What PostgreSQL reads as no JSON, and what only looks like it.
      const content = "a\0b\ud800c \\u0000 \\\\udfff";
      await tx.runs.insert(run, makeRunInput({ messages: [{ role: "user", content }] }));
      await tx.ledger.hold({ id: "h", at: 2, billingAccount: wallet, runId: run.id, microUsd: 30 });
      const settled = { at: 3, runId: run.id };
      await tx.ledger.settle({
        billingAccount: wallet,
        postings: [
          { id: "c", ...settled, kind: "charge", from: HELD, to: EARNED, microUsd: 20 },
          { id: "r", ...settled, kind: "release", from: HELD, to: wallet, microUsd: 10 },
        ],
      });
      const own = { ...makeRunInput({ job: null }), ...(commit === undefined ? {} : { commit }) };
      await tx.runs.insert(makeRun({ id: "of-account", sessionId: "s2" }), own);
      await tx.runs.insert(makeRun({ id: "of-nothing", sessionId: "s3" }), makeRunInput({ job: null }));
    });
    await before.close();
    const { dataDir, databaseUrl } = place.settings;
    for (const statement of [...undoUsage, "delete from kysely_migration where name >= '030'"]) {
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
      const ledger = await readLedger({ store }, { caller: { accountId: ACCOUNT }, before: null, limit: 10 });
      expect(
        ledger.lines.map(({ posting, changeMicroUsd, balanceMicroUsd }) => [
          posting.id,
          posting.agentId,
          changeMicroUsd,
          balanceMicroUsd,
        ]),
      ).toEqual([
        ["r", "agent-1", 10, 30],
        ["c", "agent-1", 0, 20],
        ["h", "agent-1", -30, 20],
        ["g", null, 50, 50],
      ]);
      expect([ledger.closingMicroUsd, ledger.openingMicroUsd]).toEqual([30, 0]);
      const sourceOf = async (id: string) => {
        const run = await store.committed.runs.find(id);
        return [run?.repository, run?.startedBy];
      };
      expect(await sourceOf("of-job")).toEqual(["github:octo/hello", "github:12"]);
      expect(await sourceOf("of-account")).toEqual(["github:octo/hello", undefined]);
      expect(await sourceOf("of-nothing")).toEqual([undefined, undefined]);
    } finally {
      await store.close();
    }
  });
});
