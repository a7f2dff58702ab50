// A whole run by a model: cloned by git, carried out by the executor, its stream, its ending and its money in the store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../../fakes/model-server/model-server.ts";
import { everyTime, type Script } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, say, think, wait } from "../../../../../fakes/model-server/turn.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import { toRun } from "../../../../../src/service/api/shared/run-view.ts";
import { modelBackend } from "../../../../../src/service/executor/backends/model/model-backend.ts";
import { readingToolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../../support/service-ledger.ts";
import { expectValidStream } from "../../../../support/service-streams.ts";
import { CheckoutFixture } from "../../../checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./model-fixture.ts";

const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 5_000 });

describe("a run by a model", () => {
  let checkouts: CheckoutFixture;
  let server: ModelServer;
  let fixture: CoreFixture;

  beforeEach(async () => {
    checkouts = await CheckoutFixture.make();
  });

  afterEach(async () => {
    await expectSoundLedger(fixture.place);
    expect(fixture.logs.join("\n")).not.toContain(API_KEY);
    await fixture.close();
    await server.close();
    await checkouts.close();
  });

  const start = async (script: Script, freeCredits = 10_000) => {
    server = await startModelServer({ script, apiKey: API_KEY });
    const backend = modelBackend({
      provider: "anthropic",
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
    const sha = checkouts.repository.commit({
      files: { "README.md": "# Hello\n", "AGENTS.md": "Answer in one word.\n" },
    });
    fixture = await startFixture({
      level: "core",
      backend,
      rates,
      freeCredits,
      checkouts: { ...provider, open: (_, signal) => provider.open(checkouts.source(sha), signal) },
    });
    fixture.executor.start();
  };

  it("reads a real clone, answers, and is charged for what the model used", async () => {
    const usage = { input: 2_000, output: 100 };
    await start([
      answer([think("Look."), call("read_file", { path: "README.md" }), call("git_log")], { usage }),
      ({ toolResults, system }) =>
        answer([say(toolResults[0]?.text === "1\t# Hello" && system.includes("one word") ? "Hello." : "?")], {
          usage,
        }),
    ]);
    const runId = await fixture.submit();
    const run = await fixture.ended(runId);
    expect(run).toMatchObject({
      status: "completed",
      stopReason: "end_turn",
      grossMicroUsd: 8_333 + 5_000,
    });
    expect(run.usage?.roles.executor).toMatchObject({ tokens: 4_200, calls: 2 });
    const events = await expectValidStream(await fixture.stream(runId));
    expect(
      events.flatMap((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [])).join(""),
    ).toBe("Hello.");
    expect(JSON.stringify(events)).not.toContain(API_KEY);
  });

  it("that is cancelled in the middle of an answer hangs up, closes its stream and pays for what it heard", async () => {
    await start([answer([say("Wait"), wait(new Promise(() => {}))], { usage: { input: 2_000 } })]);
    const runId = await fixture.submit();
    await fixture.until(runId, ({ lastSeq }) => lastSeq >= 3);
    await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
    fixture.dispatch.nudge(runId);
    const run = await fixture.ended(runId);
    expect(run.status).toBe("cancelled");
    expect(run.usage?.roles.executor?.calls).toBe(1);
    expect(run.usage?.roles.executor?.tokens).toBeGreaterThanOrEqual(2_000);
    expect(await server.requests[0]?.ended).toBe("hung-up");
    await expectValidStream(await fixture.stream(runId));
  });

  it.each([undefined, { type: "object" }])(
    "whose billing account cannot pay for a first answer is charged nothing (output_schema: %j)",
    async (output_schema) => {
      await start([say("Never.")], 1);
      const body = { message: "Judge.", ...(output_schema === undefined ? {} : { output_schema }) };
      const submitted = await fixture.trySubmit(body);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      const run = await fixture.ended(runId);
      expect(run).toMatchObject({
        status: "failed",
        cause: "spawn_failed",
        retryable: false,
        stopReason: "insufficient_credits",
        grossMicroUsd: 0,
        refundedMicroUsd: 0,
      });
      expect(toRun(run)).toMatchObject({ credits: 0, tokens: 0, stop_reason: "insufficient_credits" });
      expect(server.requests).toEqual([]);
      const events = await expectValidStream(await fixture.stream(runId));
      const quota = { credits_remaining: 1, claim_url: expect.stringContaining("/claim/svc_claim_") };
      expect(events).toContainEqual({ type: "CUSTOM", name: "quota", value: quota });
    },
  );

  it("whose credits end in the middle is charged what it used, and offers its claim", async () => {
    const usage = { input: 2_000, output: 2_000 };
    const script = everyTime(({ assistantTurns }) =>
      answer([call("list_files", { limit: assistantTurns + 1 })], { usage }),
    );
    await start(script, 8);
    const runId = await fixture.submit();
    const run = await fixture.ended(runId);
    expect(run).toMatchObject({ status: "completed", stopReason: "credits", refundedMicroUsd: 0 });
    expect(run.grossMicroUsd).toBeGreaterThan(8_333);
    expect(server.requests.length).toBeGreaterThan(0);
    const events = await expectValidStream(await fixture.stream(runId));
    expect(JSON.stringify(events)).toContain("/claim/svc_claim_");
  });

  it("whose last answer a filter empties is charged what it used", async () => {
    const usage = { input: 2_000, output: 100 };
    await start([
      answer([say("The README says hello."), call("git_log")], { usage }),
      answer([], { usage: { input: 2_000, output: 0 }, stop: "filter" }),
    ]);
    const run = await fixture.ended(await fixture.submit());
    expect(run).toMatchObject({ status: "completed", grossMicroUsd: 8_333 + 4_500, refundedMicroUsd: 0 });
  });

  it("whose reply never has the form that was asked for has failed, and is paid", async () => {
    await start([say("It is good."), say("It is very good.")]);
    const submitted = await fixture.trySubmit({ message: "Judge.", output_schema: { type: "object" } });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const run = await fixture.ended(submitted.value.runId);
    expect(run).toMatchObject({ status: "failed", cause: "backend_error", refundReason: null });
    expect(run.grossMicroUsd).toBe(8_333 + 2 * (100 + 20 * 5));
    expect(toRun(run)).toMatchObject({ refund_withheld_reason: "output_schema" });
    expect(toRun(run)).not.toHaveProperty("refund_reason");
  });

  it("whose model refuses ends as our fault, refunded, and says why", async () => {
    await start([fault({ status: 400, message: "Too many pigeons." })]);
    const runId = await fixture.submit();
    expect(await fixture.ended(runId)).toMatchObject({
      status: "failed",
      cause: "backend_error",
      retryable: false,
      refundReason: "backend_error",
    });
    const events = await expectValidStream(await fixture.stream(runId));
    expect(events.at(-1)).toMatchObject({ message: expect.stringContaining("Too many pigeons.") });
  });
});
