// What a run's record says of its costs adds up, whatever the models used and whatever earlier versions stored.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeEnd, makeOutcome } from "../../../../fakes/records.ts";
import { type Run, runListSchema, runSchema } from "../../../../src/contract/runs/run.ts";
import { grantCredits, makeApiKey, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { finishRun, raiseHold, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import type { RoleUsage, Usage } from "../../../../src/service/core/runs/usage.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { openHttpApi } from "../../../support/service-api.ts";
import { type Answer, type Call, call } from "../../../support/service-client.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import type { StoreKind } from "../../../support/stores/stores.ts";

const role = fc.record({
  tokens: fc.nat(1_000_000),
  calls: fc.integer({ min: 1, max: 60 }),
  microUsd: fc.nat(2_000_000),
});
const usages: fc.Arbitrary<Usage> = fc.record({
  roles: fc.record({ executor: role, advisor: role, reviewer: role }, { requiredKeys: [] }),
  advisor: fc.constantFrom(null, { callsAllowed: 60, spendCapMicroUsd: null }),
});

/** What earlier versions stored of model servers that reported nonsense. */
const stored: readonly (readonly [string, Partial<RoleUsage>])[] = [
  ["negative", { tokens: -4_000, microUsd: -2_000_000 }],
  ["fractional", { tokens: 17.25, microUsd: 8_333.5 }],
  ["beyond what is exact", { tokens: 1e300, microUsd: Number.MAX_SAFE_INTEGER }],
  ["not a number", { tokens: Number.NaN, calls: Number.POSITIVE_INFINITY }],
  ["absent", { tokens: undefined as unknown as number }],
];

onEveryStore((kind) => {
  describe("the accounting of a run", () => {
    it("sums over the roles to the gross amount, in micro-USD as in credits", async () => {
      const service = await startService(kind);
      try {
        await fc.assert(
          fc.asyncProperty(usages, fc.nat(4_000_000), async (usage, extraHold) => {
            const { runId, fence } = await service.takeRun();
            if (extraHold > 0) await raiseHold(service.core, { runId, fence, microUsd: extraHold });
            const ending = { status: "completed", stopReason: "end_turn" } as const;
            expect(await finishRun(service.core, { runId, fence, events: [], ending, usage })).toBe(true);
            expectSums(runSchema.parse((await service.get(`/${runId}`)).body));
          }),
          { numRuns: 40 },
        );
        await expectSoundLedger(service.place);
      } finally {
        await service.close();
      }
    });

    it.each(stored)("can be read, listed, polled and cancelled where an amount is %s", async (_what, bad) => {
      const service = await startService(kind);
      try {
        const { runId, fence } = await service.takeRun();
        const executor = { tokens: 10, calls: 1, microUsd: 0, ...bad };
        await service.store.transact((tx) =>
          tx.events.end(
            makeEnd({
              runId,
              fence,
              jsons: ['{"type":"RUN_FINISHED"}'],
              outcome: makeOutcome({
                usage: { roles: { executor }, advisor: null },
                // PostgreSQL's columns took whole numbers alone.
                grossMicroUsd: kind.name === "SQLite" ? 8_333.5 : 8_333,
              }),
            }),
          ),
        );
        const run = runSchema.parse((await service.get(`/${runId}`)).body);
        expect(run).toMatchObject({ usage_by_role: { executor: { estimated: true } } });
        expect(runListSchema.parse((await service.get("")).body)).toEqual([run]);
        expect((await service.call(`/v1/ci/runs/${runId}`)).status).toBe(200);
        expect((await service.call(`${service.path}/${runId}/cancel`, { method: "POST" })).status).toBe(409);
      } finally {
        await service.close();
      }
    });
  });
});

function expectSums(run: Run): void {
  if (run.status !== "completed") throw new Error(`The run is ${run.status}.`);
  const { usage_by_role: byRole = {}, gross_micro_usd: gross = 0, advisor } = run;
  const roles = Object.values(byRole);
  expect(roles.reduce((sum, { micro_usd }) => sum + micro_usd, 0)).toBe(gross);
  // As decimals of five places: binary fractions do not sum exactly.
  expect(Math.round(roles.reduce((sum, { credits }) => sum + credits, 0) * 100_000)).toBe(gross * 12);
  for (const { credits, micro_usd } of roles) expect(credits * 100_000).toBeCloseTo(micro_usd * 12, 5);
  expect(run.credits).toBe(Math.round((gross * 12) / 100_000));
  if (advisor !== undefined) expect(byRole.advisor?.micro_usd ?? 0).toBe(advisor.spend_micro_usd);
}

/** The API on a core whose agent belongs to a rich account. Runs are taken by the test itself. */
async function startService(kind: StoreKind) {
  const fixture = await startFixture({ level: "core", store: kind });
  const { core, store, place } = fixture;
  const api = await openHttpApi(fixture);
  const { id: accountId } = await openAccount(core, "subscribed");
  await grantCredits(core, { accountId, credits: 1_000_000 });
  const { secret } = await makeApiKey(core, { accountId, callerClass: "owner", name: "test" });
  const { agentId } = (await fixture.caller()).capability;
  await store.transact((tx) => tx.agents.update(agentId, { accountId }));
  const path = `/v1/agents/${agentId}/runs`;
  const callAt = (at: string, options: Call = {}): Promise<Answer> =>
    call(api.url + at, { bearer: secret, ...options });
  return {
    core,
    store,
    place,
    path,
    call: callAt,
    get: (at: string) => callAt(path + at),
    takeRun: async (): Promise<{ runId: string; fence: number }> => {
      const caller = {
        kind: "account",
        accountId,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      const body = { message: "go" };
      const submitted = await fixture.submitter.submit({ caller, agentId, body, idempotencyKey: null });
      if (!submitted.ok) throw new Error(`The run was refused: ${submitted.refusal.reason}`);
      const taken = await takeRun(core, submitted.value.runId);
      if (taken === null) throw new Error("The run was not to be taken.");
      return { runId: taken.run.id, fence: taken.run.fence };
    },
    close: () => api.close(),
  };
}
