// A run whose price turns out not to be there at the last moment: refused, and nothing of it is left.

import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { describeClaim } from "../../../../src/service/core/claims/claim-url.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { delegateRun } from "../../../../src/service/core/runs/delegate-run.ts";
import { takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { decodeRates } from "../../../../src/service/settings/rates-file.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../../support/rates-document.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withWrites } from "../../../support/wrapped-store.ts";

const TABLES = ["runs", "run_inputs", "sessions", "idempotency_keys", "ledger_postings"];

onEveryStore((kind) => {
  describe("a run that cannot be paid for", () => {
    let fixture: CoreFixture;

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const everything = async () => {
      const rows: unknown[] = [];
      for (const table of TABLES)
        rows.push(await fixture.place.query(`select * from ${table} order by 1, 2`));
      return rows;
    };

    it("is refused with a claim link when another run took the last credit meanwhile", async () => {
      let isTaken = false;
      const wrapStore = (store: Store): Store =>
        withWrites({ ...store, transact: (work) => store.transact(work) }, (tx) => ({
          runs: {
            admit: async (admission) => {
              const hold = { ...admission.hold, id: "another", runId: "another" };
              if (isTaken) await tx.ledger.hold(hold);
              return await tx.runs.admit(admission);
            },
          },
        }));
      fixture = await startFixture({ level: "core", store: kind, freeCredits: 1, wrapStore });
      await fixture.caller();
      const before = await everything();
      isTaken = true;
      const refused = await fixture.trySubmit({ message: "go", idempotency_key: "k" });
      expect(refused).toMatchObject({ ok: false, refusal: { reason: "credits_ended" } });
      if (refused.ok || refused.refusal.reason !== "credits_ended") return;
      const token = (refused.refusal.claimUrl ?? "").split("/").at(-1) ?? "";
      expect(await describeClaim(fixture.core, token)).toMatchObject({ state: { status: "open" } });
      expect(await everything()).toEqual(before);
      isTaken = false;
      expect((await fixture.trySubmit({ message: "go", idempotency_key: "k" })).ok).toBe(true);
    });

    it("of an account leaves nothing, whether its credits or its places have ended", async () => {
      const rates = decodeRates(ratesDocument());
      if (!rates.ok) throw new Error(rates.refusal.join("\n"));
      const { plans } = rates.value;
      const registered_free = { ...plans.registered_free, firstCredits: 2, maxConcurrentRuns: 1 };
      fixture = await startFixture({
        level: "core",
        store: kind,
        rates: { ...rates.value, plans: { ...plans, registered_free } },
      });
      const { id: accountId } = await openAccount(fixture.core, "registered_free");
      const { agentId } = (await fixture.caller()).capability;
      await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const runId = await fixture.submit();
      const before = await everything();
      const full = { reason: "concurrency_reached", inFlight: 1, allowed: 1 };
      expect(await fixture.trySubmit({ message: "go" })).toEqual({ ok: false, refusal: full });
      expect(await everything()).toEqual(before);

      await takeRun(fixture.core, runId);
      const parent = { runId, fence: 1 };
      const delegate = () =>
        delegateRun(fixture.core, {
          parent,
          runId: randomUUID(),
          messages: [{ role: "user", content: "help" }],
          maxTurnTokens: 0,
          maxCostMicroUsd: null,
          timeLimitMs: 60_000,
        });
      expect((await delegate()).ok).toBe(true);
      const later = await everything();
      expect(await delegate()).toEqual({ ok: false, refusal: { reason: "balance_ended" } });
      expect(await everything()).toEqual(later);
    });

    it("takes no more from an account at once than it has", async () => {
      fixture = await startFixture({ level: "core", store: kind, freeCredits: 3 });
      await fixture.caller();
      const submitted = await Promise.all(
        Array.from({ length: 12 }, () => fixture.trySubmit({ message: "go" })),
      );
      expect(submitted.filter(({ ok }) => ok)).toHaveLength(3);
      for (const outcome of submitted) {
        if (!outcome.ok) expect(outcome.refusal).toMatchObject({ claimUrl: expect.any(String) });
      }
      expect(await fixture.place.query("select id from runs")).toHaveLength(3);
    });
  });
});
