// Runs whose credits or limits do not pay for one call of their model: what clients of the API, of MCP and of the pages are told.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { say } from "../../fakes/model-server/turn.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey, type TestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { openMcpClient, textOf } from "../support/mcp/mcp-client.ts";
import { ratesDocument } from "../support/rates-document.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { WebBrowser } from "../support/web-browser.ts";

/** A call of it costs dollars: more than the three credits of a new account. */
const DEAR = { in_nano_usd_per_tok: 300_000, out_nano_usd_per_tok: 600_000, free_tier_eligible: true };

describe("a run that cannot pay for one call of its model", () => {
  let folder: string;
  let model: ModelServer;
  let fixture: ServiceFixture;
  let key: TestKey;
  let owner: Client;
  let browser: WebBrowser;
  let agentId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "unpaid-"));
    model = await startModelServer({ script: byTurn([say("Never.")]) });
    const rates = join(folder, "rates.json");
    const card = ratesDocument({
      models: [{ id: "scripted-model", ...DEAR }],
      free_max_model_out_nano_usd_per_tok: DEAR.out_nano_usd_per_tok,
    });
    await writeFile(rates, JSON.stringify(card));
    const config = readConfig(
      { DATA_DIR: join(folder, "data") },
      {
        PATH: process.env.PATH,
        BACKEND: "model",
        MODEL: "scripted-model",
        RATES_FILE: rates,
        MODEL_BASE_URL: model.baseUrl,
      },
    );
    if (!config.ok) throw new Error(config.refusal.join("\n"));
    const { backend, model: ofModel, sandbox, rates: decoded } = config.value;
    fixture = await startFixture({
      level: "service",
      config: { backend, model: ofModel, sandbox, rates: decoded },
    });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await fixture.restart();
    owner = createClient({ baseUrl: fixture.url, credential: key.secret });
    browser = new WebBrowser();
    await browser.post(`${fixture.url}/sign-in`, { key: key.secret });
    agentId = (await owner.agents.create({ body: { name: "helper" } })).id;
  });

  afterAll(async () => {
    expect(model.requests).toEqual([]);
    await fixture.stop();
    await expectSoundLedger(fixture.place);
    await fixture.close();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ["insufficient_credits", {}, "do not pay for one call of the model", 0],
    ["max_tokens", { max_turn_tokens: 1 }, "(max_turn_tokens) does not suffice for one call", 1],
    ["max_cost", { max_cost_usd: 0.01 }, "(max_cost_usd) does not pay for one call", 1],
  ] as const)(
    "has failed, and says that it was %s, in its record, its events and on its page",
    async (stop_reason, limits, said, credits) => {
      const { runId } = await owner.runs.submit({ agentId, body: { message: "Look.", ...limits } });
      const events = [];
      for await (const { event } of owner.runs.follow({ runId })) events.push(event);
      expect(events.at(-1)).toMatchObject({
        type: "RUN_ERROR",
        code: "spawn_failed",
        message: expect.stringContaining(said),
      });
      const run = await owner.runs.get({ agentId, runId });
      expect(run).toMatchObject({
        status: "failed",
        cause: "spawn_failed",
        retryable: false,
        stop_reason,
        credits,
        tokens: 0,
      });
      expect(run).not.toHaveProperty("refund_reason");
      const page = (await browser.get(`${fixture.url}/agent/${agentId}/runs/${runId}`)).text;
      expect(page).toContain(said);
      expect((await browser.get(`${fixture.url}/agent/${agentId}`)).text).toContain(
        `title="failed: ${stop_reason.replaceAll("_", " ")}"`,
      );
    },
  );

  it("is an error of the tool that an AI client called", async () => {
    const mcp = await openMcpClient(fixture.url, { bearer: key.secret });
    const called = await mcp.callTool({
      name: "invoke_agent",
      arguments: { agent: agentId, message: "Look.", wait_seconds: 30 },
    });
    await mcp.close();
    expect(called.isError).toBe(true);
    expect(textOf(called)).toMatch(/: failed\.\nIt failed: The credits that are left do not pay/);
    expect(called.structuredContent).toMatchObject({
      run: { status: "failed", stop_reason: "insufficient_credits" },
    });
  });
});
