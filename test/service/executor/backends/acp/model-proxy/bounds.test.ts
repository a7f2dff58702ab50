// What an agent's requests may cost together: whichever length they name or leave out, at once, hung up, or cut.

import { afterEach, describe, expect, it } from "vitest";
import { maxTokensRenamed, outputLimit } from "../../../../../../fakes/model-server/refusals.ts";
import type { ModelRequest } from "../../../../../../fakes/model-server/request.ts";
import {
  answer,
  call,
  reset,
  say,
  stall,
  type Turn,
  wait,
} from "../../../../../../fakes/model-server/turn.ts";
import { systemClock } from "../../../../../../src/base/clock.ts";
import {
  MODELS_KEY,
  ProxyFixture,
  type ProxyFixtureOptions,
  type RecordingServer,
  startRecordingServer,
} from "../../../../../support/fixtures/proxy-fixture.ts";

const messages = [{ role: "user", content: "Hello" }];
const chat = { model: "gpt-5", messages };
const claude = { model: "claude-opus-5", messages };
/** Answers as long as the request allows. */
const longest = ({ maxOutputTokens }: ModelRequest): Turn =>
  answer([say("word ")], { usage: { input: 20, output: maxOutputTokens ?? 128_000 }, stop: "length" });

let fixture: ProxyFixture | null = null;
let server: RecordingServer | null = null;
afterEach(async () => {
  await fixture?.close();
  await server?.close();
  fixture = null;
  server = null;
});

async function open(options: Partial<ProxyFixtureOptions> = {}): Promise<ProxyFixture> {
  fixture = await ProxyFixture.open({ wire: "openai-compatible", step: longest, ...options });
  return fixture;
}

function spentUsd({ meter }: ProxyFixture): number {
  return meter.budget.spent.microUsd / 1_000_000;
}

describe("the bounds of a run, for its agent's requests", () => {
  it.each([
    ["in dollars", { maxTokens: 0, maxCostMicroUsd: 100_000 }, "max_cost"],
    ["in tokens", { maxTokens: 300_000, maxCostMicroUsd: null }, "max_tokens"],
  ] as const)("hold %s for 32 requests at once, without a length", async (_, limits, excess) => {
    const run = await open({ limits });
    await Promise.all(Array.from({ length: 32 }, () => run.send("/chat/completions", { body: chat })));
    expect(spentUsd(run)).toBeLessThanOrEqual(
      (limits.maxCostMicroUsd ?? Number.POSITIVE_INFINITY) / 1_000_000,
    );
    expect(run.meter.budget.spent.tokens).toBeLessThanOrEqual(limits.maxTokens || Number.POSITIVE_INFINITY);
    expect(run.model.requests.length).toBeGreaterThan(0);
    expect(run.excesses[0]).toBe(excess);
  });

  it("hold for the length that is sent, of several that a request names", async () => {
    const run = await open({ limits: { maxTokens: 0, maxCostMicroUsd: 100_000 } });
    const body = { ...chat, max_tokens: 1, max_output_tokens: 1, max_completion_tokens: 100_000, n: 100 };
    await Promise.all(Array.from({ length: 32 }, () => run.send("/chat/completions", { body })));
    expect(spentUsd(run)).toBeLessThanOrEqual(0.1);
    const lengths = run.model.requests.map(({ body: sent }) => sent);
    expect(lengths[0]).toMatchObject({ n: 1, max_completion_tokens: expect.any(Number) });
    expect(lengths[0]).not.toHaveProperty("max_tokens");
    expect(lengths[0]).not.toHaveProperty("max_output_tokens");
  });

  it.each([
    ["anthropic", "/v1/messages", claude, "max_tokens"],
    ["openai-compatible", "/chat/completions", chat, "max_tokens"],
    ["openai-compatible", "/responses", { model: "gpt-5", input: "Hello" }, "max_output_tokens"],
  ] as const)("give a request without a length one: %s %s", async (wire, path, body, field) => {
    const run = await open({ wire });
    expect(await run.send(path, { body })).toMatchObject({ status: 200 });
    expect(run.model.requests[0]?.body).toHaveProperty(field, 32_000);
  });

  it("give one to Gemini's requests, and a single candidate", async () => {
    const run = await open({ wire: "gemini" });
    const body = {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generation_config: { candidate_count: 8 },
    };
    await run.send("/v1beta/models/gemini-3-pro:generateContent", { body });
    expect(run.model.requests[0]?.body).toMatchObject({
      generationConfig: { maxOutputTokens: 32_000, candidateCount: 1 },
    });
  });

  it("write the length as the server wants it, where the agent named none", async () => {
    const refusals = [maxTokensRenamed, outputLimit(4_096)];
    const run = await open({
      step: (request) =>
        refusals.map((refuse) => refuse(request)).find((turn) => turn !== null) ?? longest(request),
    });
    expect(await run.send("/chat/completions", { body: chat })).toMatchObject({ status: 400 });
    expect(await run.send("/chat/completions", { body: chat })).toMatchObject({ status: 200 });
    expect(await run.send("/chat/completions", { body: chat })).toMatchObject({ status: 200 });
    expect(run.model.requests.at(-1)?.body).toHaveProperty("max_completion_tokens", 4_096);
    expect(run.model.requests).toHaveLength(5);
  });

  it("leave an agent's own length to the server's refusal", async () => {
    const run = await open({ step: (request) => maxTokensRenamed(request) ?? longest(request) });
    const { status, text } = await run.send("/chat/completions", { body: { ...chat, max_tokens: 50 } });
    expect({ status, text }).toMatchObject({
      status: 400,
      text: expect.stringContaining("Use 'max_completion_tokens' instead"),
    });
    expect(run.meter.usage.roles).toEqual({});
  });

  it("keep a thought shorter than the answer that is left", async () => {
    const run = await open({ wire: "anthropic", limits: { maxTokens: 6_000, maxCostMicroUsd: null } });
    const thinking = { type: "enabled", budget_tokens: 30_000 };
    await run.send("/v1/messages", { body: { ...claude, max_tokens: 64_000, thinking } });
    const sent = run.model.requests[0]?.body as { max_tokens: number; thinking: { budget_tokens: number } };
    expect(sent.max_tokens).toBeLessThan(6_000);
    expect(sent.thinking.budget_tokens).toBeLessThan(sent.max_tokens);
  });

  it.each(["whole", "streamed"])("count a request that was hung up before its answer: %s", async (how) => {
    const goOn = Promise.withResolvers<void>();
    const run = await open({
      wire: "anthropic",
      step: stall(goOn.promise, answer([say("word ")], { usage: { input: 3_000, output: 700 } })),
    });
    const body = { ...claude, max_tokens: 1_000, stream: how === "streamed" };
    const { answer: answered, hangUp } = run.begin("/v1/messages", { body });
    const arrived = await run.model.arrival(1);
    hangUp();
    await expect(answered).rejects.toThrow("hang up");
    goOn.resolve();
    expect(await arrived.ended).toBe("answered");
    await run.end();
    expect(run.meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 3_700 });
  });

  it("count a request that was hung up in the middle, by what its answer says in the end", async () => {
    const goOn = Promise.withResolvers<void>();
    const run = await open({
      wire: "anthropic",
      step: answer([say("word "), wait(goOn.promise), say("word ")], {
        usage: { input: 3_000, output: 700 },
      }),
    });
    const body = { ...claude, max_tokens: 1_000, stream: true };
    const { answer: answered, hangUp } = run.begin("/v1/messages", { body });
    const response = await answered;
    response.once("error", () => undefined);
    hangUp();
    goOn.resolve();
    expect(await run.model.requests[0]?.ended).toBe("answered");
    await run.end();
    expect(run.meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 3_700 });
  });

  it("count all that was reserved where an agent ends without an answer, and nobody knows what it took", async () => {
    const clock = { ...systemClock, sleep: () => Promise.resolve() };
    const run = await open({ wire: "anthropic", step: stall(), clock });
    const { answer: answered } = run.begin("/v1/messages", { body: { ...claude, max_tokens: 1_000 } });
    const failed = expect(answered).rejects.toThrow();
    await run.model.arrival(1);
    await run.end();
    await failed;
    const { calls, tokens = 0, isEstimated } = run.meter.usage.roles.executor ?? {};
    expect({ calls, isEstimated }).toEqual({ calls: 1, isEstimated: true });
    expect(tokens).toBeGreaterThan(1_000);
  });

  it("count what was reserved for an answer that has begun without a word, where its agent ends", async () => {
    const clock = { ...systemClock, sleep: () => Promise.resolve() };
    const step = answer([wait(new Promise(() => undefined)), say("word ")], {
      usage: { input: 3_000, output: 700 },
    });
    const run = await open({ wire: "anthropic", step, clock });
    const body = { ...claude, max_tokens: 1_000, stream: true };
    const response = await run.begin("/v1/messages", { body }).answer;
    const begun = Promise.withResolvers<void>();
    response.once("error", () => undefined).once("data", () => begun.resolve());
    await begun.promise;
    await run.end();
    expect(run.meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 4_000, isEstimated: true });
  });

  it("count what was sent where the run is cancelled before an answer", async () => {
    const run = await open({ wire: "anthropic", step: stall() });
    const { answer: answered } = run.begin("/v1/messages", { body: { ...claude, max_tokens: 1_000 } });
    const failed = expect(answered).rejects.toThrow();
    await run.model.arrival(1);
    run.stop();
    await failed.catch(() => undefined);
    const { calls, tokens = 0 } = run.meter.usage.roles.executor ?? {};
    expect(calls).toBe(1);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThan(1_000);
  });

  it("count Gemini's stream that is a list, not events", async () => {
    const list = JSON.stringify([
      { candidates: [{ content: { parts: [{ text: "word" }] } }] },
      { usageMetadata: { promptTokenCount: 3_000, candidatesTokenCount: 700 } },
    ]);
    server = await startRecordingServer(list);
    const run = await open({ wire: "gemini", baseUrl: server.url });
    const body = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
    await run.send("/v1beta/models/gemini-3-pro:streamGenerateContent", { body });
    expect(run.meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 3_700 });
  });

  it("take an image for less than its bytes", async () => {
    const run = await open({ wire: "anthropic", limits: { maxTokens: 100_000, maxCostMicroUsd: null } });
    const image = (data: string) => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data },
    });
    const shown = (data: string) => ({
      ...claude,
      max_tokens: 100,
      messages: [{ role: "user", content: [image(data)] }],
    });
    expect(await run.send("/v1/messages", { body: shown("A".repeat(1_000_000)) })).toMatchObject({
      status: 200,
    });
    expect(await run.send("/v1/messages", { body: shown("A".repeat(10_000_000)) })).toMatchObject({
      status: 403,
    });
  });

  it("decode no request that would keep the service busy", async () => {
    const run = await open({ wire: "anthropic" });
    const blocks = Array.from({ length: 100_001 }, () => ({ type: "text", text: "a" }));
    const body = { ...claude, max_tokens: 100, messages: [{ role: "user", content: blocks }] };
    const { status, text } = await run.send("/v1/messages", { body });
    expect({ status, text }).toMatchObject({
      status: 413,
      text: expect.stringContaining("too many objects"),
    });
    const code = '{"a":{"b":{}}}'.repeat(50_000);
    const written = { ...body, messages: [{ role: "user", content: code }] };
    expect(await run.send("/v1/messages", { body: written })).toMatchObject({ status: 200 });
  });

  it("refuse the 33rd request at once", async () => {
    const goOn = Promise.withResolvers<void>();
    const run = await open({ wire: "anthropic", step: stall(goOn.promise, answer([say("word ")])) });
    const body = { ...claude, max_tokens: 100 };
    const answers = Array.from({ length: 32 }, () => run.send("/v1/messages", { body }));
    await run.model.arrival(32);
    const { status, text } = await run.send("/v1/messages", { body });
    expect({ status, text }).toMatchObject({ status: 429, text: expect.stringContaining("32 requests") });
    goOn.resolve();
    expect((await Promise.all(answers)).every((answered) => answered.status === 200)).toBe(true);
  });
});

describe("a model's server that fails", () => {
  it("is told as such, with what is known of the cause, and costs nothing", async () => {
    const gone = await ProxyFixture.open({ wire: "anthropic", step: say("never") });
    const { baseUrl } = gone.model;
    await gone.close();
    const run = await open({ wire: "anthropic", baseUrl });
    const { status, text } = await run.send("/v1/messages", { body: { ...claude, max_tokens: 100 } });
    expect(status).toBe(502);
    expect(JSON.parse(text)).toEqual({
      type: "error",
      error: {
        type: "api_error",
        message: "The model's server could not be reached (ECONNREFUSED).",
      },
    });
    expect(text).not.toContain(MODELS_KEY);
    expect(run.meter.usage.roles).toEqual({});
  });

  it("may cut the connection before its answer, and costs nothing", async () => {
    const run = await open({ wire: "anthropic", step: reset() });
    const { status, text } = await run.send("/v1/messages", { body: { ...claude, max_tokens: 100 } });
    expect({ status, text }).toMatchObject({
      status: 502,
      text: expect.stringContaining("could not be reached"),
    });
    expect(run.meter.usage.roles).toEqual({});
    expect(run.meter.budget.room.tokens).toBe(1_000_000);
  });

  it("may be called again afterwards", async () => {
    let count = 0;
    const run = await open({
      wire: "anthropic",
      step: () => {
        count += 1;
        return count === 1 ? reset() : answer([call("read")], { usage: { input: 10, output: 5 } });
      },
    });
    const body = { ...claude, max_tokens: 100 };
    expect(await run.send("/v1/messages", { body })).toMatchObject({ status: 502 });
    expect(await run.send("/v1/messages", { body })).toMatchObject({ status: 200 });
    expect(run.meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 15 });
  });
});
