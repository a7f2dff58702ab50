// What each wire sends and reads: the first request, thoughts and their signatures, effort, caches and their counts.

import { afterEach, describe, expect, it } from "vitest";
import { thinkingBudget } from "../../../../../../fakes/model-server/refusals.ts";
import { answer, call, say, think } from "../../../../../../fakes/model-server/turn.ts";
import type { ModelSettings } from "../../../../../../src/service/executor/backends/model/model-settings.ts";
import { limitsOfModel } from "../../../../../../src/service/executor/backends/model/wires/model-limits.ts";
import { UsageMeter } from "../../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers } from "../model-fixture.ts";

let fixture: ModelFixture;
let recorder: TaskRecorder;

afterEach(async () => {
  await expectWhole(recorder);
  await fixture.close();
});

async function play(
  executor: string,
  options: Partial<ModelFixtureOptions> = {},
  settings: Partial<ModelSettings> = {},
) {
  recorder = new TaskRecorder();
  fixture = await ModelFixture.start({
    script: [[think("Hm."), call("list_files")], say("Done.")],
    ...options,
  });
  const models = { executor, advisor: null, reviewer: null };
  const meter = new UsageMeter({ holdMicroUsd: 1, raiseHold: async () => true });
  expect(await fixture.run({ meter }, recorder, { models, ...settings })).toEqual({ stopReason: "end_turn" });
  const bodies = fixture.server.requests.map(({ body }) => body as Record<string, unknown>);
  return { bodies, meter };
}

describe("the wire to", () => {
  it("OpenAI stores nothing, and reasoning goes back encrypted", async () => {
    const { bodies } = await play("gpt-5.5", { provider: "openai" });
    expect(bodies[0]).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      prompt_cache_key: expect.any(String),
      max_output_tokens: 32_000,
    });
    expect(bodies[0]).not.toHaveProperty("reasoning.effort");
    expect(bodies[1]?.prompt_cache_key).toBe(bodies[0]?.prompt_cache_key);
    // The scripted server checks the signature.
    expect(bodies[1]?.input).toContainEqual(
      expect.objectContaining({ type: "reasoning", encrypted_content: expect.any(String) }),
    );
    expect(JSON.stringify(bodies[1]?.input)).not.toContain("item_reference");
  });

  it("OpenAI asks a model that does not reason for no reasoning", async () => {
    const { bodies } = await play("gpt-4.1", { provider: "openai", script: [say("Done.")] });
    expect(bodies[0]).not.toHaveProperty("reasoning");
    expect(bodies[0]).not.toHaveProperty("include");
  });

  it("Google sends the signatures of calls back, which its newer models want", async () => {
    const { bodies } = await play("gemini-3.5-flash", { provider: "google" });
    expect(bodies[0]).toMatchObject({ generationConfig: { thinkingConfig: { includeThoughts: true } } });
    expect(JSON.stringify(bodies[1]?.contents)).toContain('"thoughtSignature"');
  });

  it("a server that speaks Anthropic's protocol marks instructions and the newest messages for its cache", async () => {
    const { bodies } = await play("claude-sonnet-5", { provider: "anthropic" });
    expect(bodies[0]).toMatchObject({
      system: [{ type: "text", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: [{ cache_control: { type: "ephemeral" } }] }],
    });
    const marks = JSON.stringify(bodies[1]).match(/"cache_control"/g) ?? [];
    expect(marks.length).toBeLessThanOrEqual(4);
    expect(JSON.stringify(bodies[1])).toContain('"tool_result"');
  });

  it.each([
    ["claude-opus-4-6", { type: "adaptive" }],
    ["anthropic.claude-opus-4-8", { type: "adaptive" }],
    ["claude-sonnet-4-5-20250929", { type: "enabled", budget_tokens: 16_000 }],
    ["claude-sonnet-4-20250514", { type: "enabled", budget_tokens: 16_000 }],
    // They think unless they are told not to.
    ["claude-opus-5-5", undefined],
    ["claude-3-5-haiku-latest", undefined],
    ["scripted-model", undefined],
  ])("Anthropic has Claude 4 think, as Claude Code does: %s", async (model, thinking) => {
    const limits = { maxOutputTokens: 32_000 };
    const { bodies } = await play(model, { provider: "anthropic", refuse: thinkingBudget }, limits);
    expect(bodies[0]?.thinking).toEqual(thinking);
    expect(bodies[1]?.thinking).toEqual(thinking);
    expect(bodies[0]?.max_tokens).toBe(32_000);
  });

  it("Anthropic asks for no thinking where the answer has no room for it", async () => {
    const { bodies } = await play("claude-sonnet-4-5", { provider: "anthropic" }, { maxOutputTokens: 2_000 });
    expect(bodies[0]).not.toHaveProperty("thinking");
  });

  it("a gateway marks Claude's messages alone", async () => {
    const { bodies } = await play("anthropic/claude-sonnet-5");
    expect(bodies[0]).toMatchObject({
      messages: [
        { role: "system", content: [{ type: "text", cache_control: { type: "ephemeral" } }] },
        { role: "user", content: [{ type: "text", cache_control: { type: "ephemeral" } }] },
      ],
    });
    await fixture.close();
    const others = await play("maker/another-model");
    expect(JSON.stringify(others.bodies)).not.toContain("cache_control");
  });

  it("OpenRouter gets reasoning_details back as they came, joined and signed", async () => {
    const { bodies } = await play("anthropic/claude-sonnet-5", {
      script: [[think("Hm, that is a longer thought."), call("list_files")], say("Done.")],
    });
    const messages = bodies[1]?.messages as Record<string, unknown>[];
    const said = messages.find(({ role }) => role === "assistant");
    expect(said?.reasoning_details).toEqual([
      {
        type: "reasoning.text",
        format: "anthropic-claude-v1",
        index: 0,
        text: "Hm, that is a longer thought.",
        signature: expect.any(String),
      },
    ]);
    expect(said).not.toHaveProperty("reasoning_content");
    expect(recorder.types()).toContain("REASONING_MESSAGE_CONTENT");
  });

  it("a server that leaves thoughts in the text shows them apart, and a schema does not see them", async () => {
    await play("qwen3-32b", { script: [say('<think>Is it {"a": 2}? No.</think>\n\n{"a": 1}')] });
    expect(recorder.text()).toBe('{"a": 1}');
    const thought = recorder.events.flatMap((event) =>
      event.type === "REASONING_MESSAGE_CONTENT" ? [event.delta] : [],
    );
    expect(thought.join("")).toBe('Is it {"a": 2}? No.');
  });

  it("a server whose template swallows the opening tag is known from the second answer on", async () => {
    await play("qwen3-32b", {
      script: [[say("Hm.</think>Looking."), call("list_files")], say("So.</think>Done.")],
    });
    expect(recorder.text()).toBe("Hm.</think>Looking.Done.");
  });
});

describe.each(providers)("by %s", (provider) => {
  it("what the cache had and took is counted", async () => {
    const usage = { input: 1_000, output: 50, cacheRead: 600 };
    const { meter } = await play("some-model", { provider, script: [answer([say("Done.")], { usage })] });
    expect(meter.usage.roles.executor).toMatchObject({ calls: 1, tokens: 1_050 });
    expect(meter.budget.use.cachedInputTokens).toBe(600);
  });

  it("instructions and tools are the same in every request of a run", async () => {
    const { bodies } = await play("some-model", { provider });
    const [first, second] = fixture.server.requests;
    expect(second?.system).toBe(first?.system);
    expect(bodies[1]?.tools).toEqual(bodies[0]?.tools);
  });

  const asked: Record<typeof provider, [string, string, unknown]> = {
    openai: ["gpt-5.5", "reasoning.effort", "high"],
    anthropic: ["claude-sonnet-5", "output_config.effort", "high"],
    google: ["gemini-3.5-flash", "generationConfig.thinkingConfig.thinkingLevel", "high"],
    "openai-compatible": ["some-model", "reasoning_effort", "high"],
  };
  const [executor, path, value] = asked[provider];

  it(`effort is sent as ${path} where it is told, and not where it is not`, async () => {
    const { bodies } = await play(executor, { provider, script: [say("Done.")] }, { effort: "high" });
    expect(bodies[0]).toHaveProperty(path, value);
    await fixture.close();
    const without = await play(executor, { provider, script: [say("Done.")] });
    expect(without.bodies[0]).not.toHaveProperty(path);
  });
});

describe("what is known of a model", () => {
  it.each([
    ["gpt-3.5-turbo", { contextTokens: 16_385, maxOutputTokens: 4_096 }],
    ["claude-opus-4-1-20250805", { contextTokens: 200_000, maxOutputTokens: 32_000 }],
    ["us.anthropic.claude-3-5-sonnet-20241022-v2:0", { contextTokens: 200_000, maxOutputTokens: 8_192 }],
    ["openai/gpt-4o-mini", { contextTokens: 128_000, maxOutputTokens: 16_384 }],
    ["gemini-3.5-flash", { contextTokens: 200_000, maxOutputTokens: 32_000 }],
    ["nobody-knows-it", null],
  ])("bounds requests to %s", async (model, limits) => {
    recorder = new TaskRecorder();
    fixture = await ModelFixture.start({ script: [] });
    expect(limitsOfModel(model)).toEqual(limits);
  });
});
