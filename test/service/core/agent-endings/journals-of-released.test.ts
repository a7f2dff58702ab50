// An account gives an agent back while a run of it is at work: the run goes on, and its journal ends with it.

import { afterEach, describe, expect, it } from "vitest";
import { releaseClaim } from "../../../../src/service/core/agent-endings/release-claim.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type Parking, parkingOf } from "../../../support/parking.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("the journal of a run whose account gives its agent back", () => {
    let parking: Parking;
    let fixture: CoreFixture;

    afterEach(async () => {
      await fixture.close();
      await parking.remove();
    });

    /** Runs once, and does that while it is at work. Returns how many entries are left of it. */
    const play = async (atWork: (agentId: string) => Promise<unknown>) => {
      let agentId = "";
      parking = await parkingOf(async () => {
        await atWork(agentId);
        return { stopReason: "end_turn" };
      });
      const policy = { journalMs: 7 * 24 * 60 * 60_000 };
      fixture = await startFixture({ level: "core", store, ...parking, policy });
      fixture.executor.start();
      const { id: accountId } = await makeAccount(fixture);
      ({ agentId } = (await fixture.caller()).capability);
      await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const submitted = await fixture.trySubmit({ message: "Work." });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      return (await fixture.place.query(`select entry from run_journal where run_id = '${runId}'`)).length;
    };

    it("is kept where it does not", async () => {
      expect(await play(async () => {})).toBeGreaterThan(0);
    });

    it("is deleted with the run's end", async () => {
      const release = (agentId: string) => releaseClaim(fixture.core, { agentId, requestId: "operator" });
      expect(await play(async (agentId) => expect(await release(agentId)).toMatchObject({ ok: true }))).toBe(
        0,
      );
    });
  });
});
