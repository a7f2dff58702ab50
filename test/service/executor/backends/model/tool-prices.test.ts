// Calls of tools cost what the rate card says: free ones first, then paid ones, then none.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../../fakes/model-server/model-server.ts";
import { byTurn, type Script } from "../../../../../fakes/model-server/script.ts";
import { call, say } from "../../../../../fakes/model-server/turn.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import { toRun } from "../../../../../src/service/api/shared/run-view.ts";
import { RUN_FEE_MICRO_USD } from "../../../../../src/service/core/money/ledger.ts";
import type { Rates, ToolRate } from "../../../../../src/service/core/money/rates.ts";
import { modelBackend } from "../../../../../src/service/executor/backends/model/model-backend.ts";
import { readingToolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { defaultRates } from "../../../../../src/service/settings/default-rates.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../../support/service-ledger.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { CheckoutFixture } from "../../../checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock } from "./model-fixture.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Two credits, rounded down. */
const TWO_CREDITS = 16_666;

const threeLooks: Script = byTurn([
  [call("list_files", { limit: 1 }), call("list_files", { limit: 2 }), call("list_files", { limit: 3 })],
  say("Done."),
]);

onEveryStore((kind) => {
  describe("the price of a tool", () => {
    let checkouts: CheckoutFixture;
    let server: ModelServer;
    let fixture: CoreFixture;

    const start = async (rate: Partial<ToolRate>, { script = threeLooks, freeCredits = 1_000 } = {}) => {
      server = await startModelServer({ script, apiKey: API_KEY });
      const paid: ToolRate = {
        tool: "list_files",
        mode: "per_call",
        credits: 2,
        freePerMonth: 0,
        note: "",
        ...rate,
      };
      const rates: Rates = { ...defaultRates, tools: [paid] };
      const backend = modelBackend({
        provider: "openai-compatible",
        baseUrl: server.baseUrl,
        apiKey: API_KEY,
        access: null,
        models: { executor: "scripted-model", advisor: null, reviewer: null },
        rates,
        toolbox: readingToolbox,
        clock: new HastyClock(),
        random: systemRandom,
      });
      const provider = checkouts.provider();
      const sha = checkouts.repository.commit({ files: { "README.md": "# Hello\n" } });
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend,
        rates,
        freeCredits,
        checkouts: { ...provider, open: (_, signal) => provider.open(checkouts.source(sha), signal) },
      });
      fixture.executor.start();
    };
    const run = async () => toRun(await fixture.ended(await fixture.submit()));
    const errors = () => server.toolResults().filter(({ text }) => text.startsWith("error:"));

    beforeEach(async () => {
      checkouts = await CheckoutFixture.make();
    });
    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await server.close();
      await checkouts.close();
    });

    it("is charged for each call, as the executor's", async () => {
      await start({});
      expect(await run()).toMatchObject({
        gross_micro_usd: RUN_FEE_MICRO_USD + 3 * TWO_CREDITS,
        credits: 7,
        usage_by_role: { executor: { micro_usd: RUN_FEE_MICRO_USD + 3 * TWO_CREDITS, calls: 2 } },
      });
      expect(errors()).toEqual([]);
    });

    it("is charged once a month's free calls are used, which begin anew with the month", async () => {
      await start({ freePerMonth: 4 });
      expect(await run()).toMatchObject({ gross_micro_usd: RUN_FEE_MICRO_USD });
      expect(await run()).toMatchObject({ gross_micro_usd: RUN_FEE_MICRO_USD + 2 * TWO_CREDITS });
      expect(await run()).toMatchObject({ gross_micro_usd: RUN_FEE_MICRO_USD + 3 * TWO_CREDITS });
      fixture.clock.advance(31 * DAY_MS);
      expect(await run()).toMatchObject({ gross_micro_usd: RUN_FEE_MICRO_USD });
    });

    it("keeps a call from being made that the credits do not suffice for, and the model is told", async () => {
      await start({}, { freeCredits: 4 });
      expect(await run()).toMatchObject({ credits: 3, gross_micro_usd: RUN_FEE_MICRO_USD + TWO_CREDITS });
      expect(errors()).toEqual([
        expect.objectContaining({ text: expect.stringContaining("the credits do not suffice") }),
        expect.objectContaining({ text: expect.stringContaining("the credits do not suffice") }),
      ]);
    });

    it("is nothing where the mode is free, and for a call of a tool that there is not", async () => {
      await start({ mode: "free", credits: 0 });
      expect(await run()).toMatchObject({ gross_micro_usd: RUN_FEE_MICRO_USD });
    });
  });
});
