// What bounds a run: its turns, its tokens, its billing account's credits, and a model that goes round in circles.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, say } from "../../../../../fakes/model-server/turn.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers, ratesOf } from "./model-fixture.ts";

const priced = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 5_000 });
const cached = ratesOf({
  id: "scripted-model",
  inNanoUsdPerToken: 1_000,
  cachedInNanoUsdPerToken: 100,
  outNanoUsdPerToken: 5_000,
});

describe.each(providers)("a run of the model by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    fixture = await ModelFixture.start({ provider, script, ...options });
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("ends after its turns, the last of which is for an answer", async () => {
    const look = everyTime(({ assistantTurns }) => call("list_files", { limit: assistantTurns + 1 }));
    await start(look, { settings: { maxTurns: 3 } });
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "max_turns" });
    expect(fixture.server.requests).toHaveLength(3);
    expect(fixture.server.requests[2]?.lastUserMessage).toContain("answer now");
    const results = recorder.events.flatMap((event) =>
      event.type === "TOOL_CALL_RESULT" ? [event.content] : [],
    );
    expect(results.at(-1)).toContain("not made");
  });

  it("that makes the same call over and over is told so, and at the sixth time asked for its answer", async () => {
    await start(
      everyTime(({ lastUserMessage }) =>
        lastUserMessage.includes("answer now") ? say("I was stuck.") : call("list_files", { path: "src" }),
      ),
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "repeated_calls" });
    const results = fixture.server.toolResults().map(({ text }) => text.includes("times in a row"));
    expect(results).toEqual([false, false, true, true, true, true]);
    expect(recorder.text()).toBe("I was stuck.");
  });

  it("stops before the turn that would pass its tokens", async () => {
    const usage = { input: 3_000, output: 500 };
    await start(
      everyTime(({ assistantTurns }) =>
        answer([call("list_files", { limit: assistantTurns + 1 })], { usage }),
      ),
    );
    const meter = new UsageMeter({ holdMicroUsd: 1, raiseHold: async () => true });
    expect(await fixture.run({ maxTurnTokens: 12_000, meter }, recorder)).toEqual({
      stopReason: "max_tokens",
    });
    const { tokens = 0, calls } = meter.usage.roles.executor ?? {};
    expect(calls).toBe(fixture.server.requests.length);
    expect(tokens).toBeLessThanOrEqual(12_000);
    expect(tokens).toBeGreaterThanOrEqual(7_000);
    const rooms = fixture.server.requests.map(({ maxOutputTokens }) => maxOutputTokens);
    expect(rooms.at(-1)).toBeLessThan(12_000);
  });

  it("that names no tokens has those of the service", async () => {
    await start([say("Never.")], { settings: { defaultMaxTurnTokens: 100 } });
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "max_tokens" });
    expect(fixture.server.requests).toEqual([]);
  });

  it("that cannot pay for a short answer asks for none", async () => {
    await start([say("Never.")], { settings: { rates: priced } });
    const meter = new UsageMeter({ holdMicroUsd: 8_333, raiseHold: async () => false });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "insufficient_credits" });
    expect(fixture.server.requests).toEqual([]);
  });

  it("gets as long an answer as its billing account can pay for", async () => {
    const cut = answer([say("As far as it goes")], { stop: "length" });
    await start([cut, say("That is all.")], { settings: { rates: priced } });
    const meter = new UsageMeter({ holdMicroUsd: 8_333, raiseHold: async (microUsd) => microUsd < 40_000 });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "credits" });
    const [first, last] = fixture.server.requests;
    expect(first?.maxOutputTokens).toBeLessThan(16_000);
    expect(last?.lastUserMessage).toContain("The credits of the run are used up");
  });

  it("counts by what the model said it used, and by the rate card", async () => {
    const usage = { input: 1_000, output: 50, cacheRead: 600 };
    await start([answer([call("list_files")], { usage }), answer([say("Done.")], { usage })], {
      settings: { rates: priced },
    });
    const meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
    await fixture.run({ meter }, recorder);
    expect(meter.usage).toEqual({
      roles: { executor: { tokens: 2_100, calls: 2, microUsd: 2_500 } },
      models: [
        {
          model: "scripted-model",
          calls: 2,
          inputTokens: 2_000,
          cachedInputTokens: 1_200,
          outputTokens: 100,
          costMicroUsd: 2_500,
        },
      ],
      advisor: null,
    });
  });

  it("charges what the model had in its cache by the card's own rate for that", async () => {
    const usage = { input: 1_000, output: 50, cacheRead: 600 };
    await start([answer([call("list_files")], { usage }), answer([say("Done.")], { usage })], {
      settings: { rates: cached },
    });
    const meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
    await fixture.run({ meter }, recorder);
    // Twice 400 at 1, 600 at 0.1, 50 at 5.
    expect(meter.usage.roles.executor).toEqual({ tokens: 2_100, calls: 2, microUsd: 1_420 });
  });

  it.each([
    ["negative", { input: -1_000_000, output: -500 }],
    ["fractional", { input: 100.25, output: 20.5 }],
    ["beyond what was sent", { input: 50_000_000, output: 20 }],
    ["beyond what an answer may have", { input: 100, output: 1e15 }],
    ["nothing", { input: 0, output: 0 }],
    ["cached less than nothing", { input: 100, output: 20, cacheRead: -1_000_000 }],
  ])("estimates and marks a usage that is %s", async (_what, usage) => {
    await start([answer([say("word ".repeat(100))], { usage })], { settings: { rates: cached } });
    const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
    await fixture.run({ meter }, recorder);
    const { tokens = 0, microUsd = 0, isEstimated } = meter.usage.roles.executor ?? {};
    expect(isEstimated).toBe(true);
    expect([Number.isInteger(tokens), Number.isInteger(microUsd)]).toEqual([true, true]);
    const sent = JSON.stringify(fixture.server.requests[0]?.body).length;
    expect(tokens).toBeGreaterThanOrEqual(120);
    expect(tokens).toBeLessThan(sent);
    expect(microUsd).toBeGreaterThan(0);
    expect(microUsd).toBeLessThan(sent * 5);
  });

  it("marks no usage that is as it was reported", async () => {
    await start([answer([say("Done.")], { usage: { input: 1_000, output: 50 } })]);
    const meter = new UsageMeter({ holdMicroUsd: 1, raiseHold: async () => true });
    await fixture.run({ meter }, recorder);
    expect(meter.usage.roles.executor).toEqual({ tokens: 1_050, calls: 1, microUsd: 0 });
  });

  it("counts what came of an answer that was cut", async () => {
    const cut = answer([say("word ".repeat(200))], {
      usage: { input: 900 },
      cut: { type: "events", count: 12 },
    });
    await start([cut, fault({ status: 400, message: "no" })]);
    const meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
    await expect(fixture.run({ meter }, recorder)).rejects.toThrow();
    expect(meter.usage.roles.executor?.calls).toBe(1);
    expect(meter.usage.roles.executor?.tokens).toBeGreaterThan(200);
  });

  // The others tell their numbers at the end.
  if (provider === "anthropic")
    it("knows of a cut answer what was cached where the API says so at once", async () => {
      const cut = answer([say("word ".repeat(200))], {
        usage: { input: 900, cacheRead: 600 },
        cut: { type: "events", count: 12 },
      });
      await start([cut, fault({ status: 400, message: "no" })], { settings: { rates: cached } });
      const meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
      await expect(fixture.run({ meter }, recorder)).rejects.toThrow();
      const { tokens = 0, microUsd } = meter.usage.roles.executor ?? {};
      expect(tokens).toBeGreaterThan(900);
      expect(microUsd).toBe(300 + 60 + (tokens - 900) * 5);
    });

  it("asks no model that has no price where the others have one", async () => {
    await start([say("Never.")], { settings: { rates: { ...priced, otherModels: "refused" } } });
    await expect(fixture.run({ model: "maker/another-model" }, recorder)).rejects.toThrow(
      'The agent\'s model "maker/another-model" has no price on this service any more.',
    );
    expect(fixture.server.requests).toEqual([]);
  });

  it("asks the agent's own model where it has one", async () => {
    await start([say("Hi.")]);
    await fixture.run({ model: "another-model" }, recorder);
    expect(fixture.server.requests[0]?.model).toBe("another-model");
  });

  it("keeps room for an answer of full length in every request", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`f${at}.txt`, `${`${at}`.repeat(899)}\n`.repeat(10)]),
    );
    const tokensOf = (body: unknown) => Math.ceil(JSON.stringify(body).length / 4);
    await start(
      everyTime(({ messages, body }) => {
        const next = messages.length === 1 ? 0 : lastFile(messages) + 1;
        const part = next < 12 ? call("read_file", { path: `f${next}.txt` }) : say("Read.");
        return answer([part], { usage: { input: tokensOf(body) } });
      }),
      { files, settings: { contextTokens: 16_000, maxOutputTokens: 6_000 } },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const sizes = fixture.server.requests.map(({ body }) => tokensOf(body));
    // Without room for the answer these requests would use the whole context.
    expect(Math.max(...sizes)).toBeGreaterThan(6_000);
    for (const { body, maxOutputTokens } of fixture.server.requests)
      expect(tokensOf(body) + Number(maxOutputTokens)).toBeLessThanOrEqual(16_000);
  });

  it("whose model writes no summary gives up old results before turns, and never what was asked or what it is told", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`f${at}.txt`, `${`${at}`.repeat(899)}\n`.repeat(10)]),
    );
    await start(
      everyTime(({ messages, body }) => {
        const next = messages.length === 1 ? 0 : lastFile(messages) + 1;
        const part = next < 12 ? call("read_file", { path: `f${next}.txt` }) : say("Read.");
        return answer([part], { usage: { input: Math.ceil(JSON.stringify(body).length / 4) } });
      }),
      { files, settings: { contextTokens: 12_000, maxOutputTokens: 2_000 } },
    );
    const messages = [{ role: "user" as const, content: "Read all of them." }];
    expect(await fixture.run({ messages }, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Read.");
    const isForSummary = (text: string) => text.includes("about to be cut");
    const asked = fixture.server.requests.filter(({ lastUserMessage }) => !isForSummary(lastUserMessage));
    expect(asked).toHaveLength(13);
    expect(fixture.server.requests).toHaveLength(15);
    for (const { firstUserMessage, system, body } of fixture.server.requests) {
      expect(firstUserMessage).toBe("Read all of them.");
      expect(system).toContain("octo/fixture");
      expect(JSON.stringify(body).length).toBeLessThan(4 * 10_500);
    }
    expect(fixture.server.requests.at(-1)?.toolResults.some(({ text }) => text.includes("removed"))).toBe(
      true,
    );
  });
});

function lastFile(messages: readonly { readonly role: string }[]): number {
  const paths = [...JSON.stringify(messages).matchAll(/f(\d+)\.txt/g)];
  return Number(paths.at(-1)?.[1] ?? -1);
}
