// What a model's API refuses is learned at its first refusal, and not sent again in that run.

import { afterEach, describe, expect, it } from "vitest";
import {
  anthropicOutputLimit,
  cacheMarksForbidden,
  extraForbidden,
  maxTokensRenamed,
  ollamaWithoutTools,
  openRouterWithoutTools,
  outputLimit,
  type Refusing,
  reasoningContentRequired,
  reasoningContentUnsupported,
  refuseAll,
  summariesUnverified,
  thinkingNotEnabled,
  toolsNeedResponses,
  unsupportedParameter,
  withoutResponses,
} from "../../../../../fakes/model-server/refusals.ts";
import { call, fault, say, think } from "../../../../../fakes/model-server/turn.ts";
import type { ModelSettings } from "../../../../../src/service/executor/backends/model/model-settings.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions } from "./model-fixture.ts";

let fixture: ModelFixture;
let recorder: TaskRecorder;

afterEach(async () => {
  await expectWhole(recorder);
  await fixture.close();
});

async function play(
  options: Partial<ModelFixtureOptions> = {},
  settings: Partial<ModelSettings> = {},
  changes: Parameters<ModelFixture["run"]>[0] = {},
) {
  recorder = new TaskRecorder();
  fixture = await ModelFixture.start({
    script: [[think("Hm."), call("list_files")], say("Done.")],
    ...options,
  });
  return await fixture.run(changes, recorder, settings);
}

function bodies(): Record<string, unknown>[] {
  return fixture.server.requests.map(({ body }) => body as Record<string, unknown>);
}

describe("ids of calls", () => {
  const ids = () =>
    bodies().map(({ messages }) =>
      [...JSON.stringify(messages).matchAll(/"(?:tool_use_)?id":"([^"]+)"/g)].map((match) => match[1]),
    );

  it("that Anthropic's API does not take are written otherwise once it has said so, each like its result", async () => {
    const script = [[call("list_files"), call("list_files")], call("list_files"), say("Done.")];
    // As Kimi writes them, and two that must not become one.
    const given = ["functions.list_files:0", "functions:list_files.0", "toolu_1"];
    const callId = (number: number) => given[number - 1] ?? "";
    expect(await play({ provider: "anthropic", script, callId, expectsBadHistories: true })).toEqual({
      stopReason: "end_turn",
    });
    const [first, refused, second, third, ...others] = ids();
    expect([first, others]).toEqual([[], []]);
    expect(refused).toEqual([...given.slice(0, 2), ...given.slice(0, 2)]);
    expect(new Set(second).size).toBe(2);
    for (const id of second ?? []) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(third).toEqual([...(second ?? []), "toolu_1", "toolu_1"]);
  });

  it("stay as a server has given them that takes them", async () => {
    const callId = (number: number) => `functions.list_files:${number - 1}`;
    expect(await play({ callId })).toEqual({ stopReason: "end_turn" });
    expect(JSON.stringify(bodies()[1])).toContain('"functions.list_files:0"');
  });
});

describe("a model that takes tools by the Responses API alone", () => {
  it.each([null, "high" as const])("is asked by it behind a gateway, too (effort %s)", async (effort) => {
    expect(await play({ refuse: toolsNeedResponses }, { effort })).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.map(({ wire }) => wire)).toEqual([
      "openai-chat",
      "openai-responses",
      "openai-responses",
    ]);
    expect(fixture.server.requests[1]?.tools.map(({ name }) => name)).toContain("list_files");
    expect(fixture.clock.slept).toEqual([]);
  });

  it("ends the run where its gateway does not have that API, and the run says what to change", async () => {
    await expect(play({ refuse: refuseAll(toolsNeedResponses, withoutResponses) })).rejects.toMatchObject({
      name: "BackendFailure",
      isRetryable: false,
      message: expect.stringMatching(
        /^The model "scripted-model" takes tools by OpenAI's Responses API alone, and \S+ does not have it \(404\)/,
      ),
    });
    expect(bodies()).toHaveLength(2);
  });
});

describe("a refused parameter", () => {
  it("that has another name is sent under it from then on", async () => {
    expect(await play({ refuse: maxTokensRenamed })).toEqual({ stopReason: "end_turn" });
    const [first, ...others] = bodies();
    expect(first).toMatchObject({ max_tokens: 16_000 });
    expect(others).toHaveLength(2);
    for (const body of others) {
      expect(body).toMatchObject({ max_completion_tokens: 16_000 });
      expect(body).not.toHaveProperty("max_tokens");
    }
    expect(fixture.clock.slept).toEqual([]);
  });

  it.each<[string, ModelSettings["provider"], Refusing, string]>([
    ["OpenAI's words", "openai-compatible", unsupportedParameter("stream_options"), "stream_options"],
    ["pydantic's words", "openai-compatible", extraForbidden("stream_options"), "stream_options"],
    ["OpenAI's, of summaries", "openai", summariesUnverified, "reasoning.summary"],
    ["OpenAI's, of a cache key", "openai", unsupportedParameter("prompt_cache_key"), "prompt_cache_key"],
    ["Google's", "google", thinkingNotEnabled, "generationConfig.thinkingConfig"],
  ])("in %s is left out from then on", async (_, provider, refuse, path) => {
    const models = {
      executor: provider === "openai" ? "gpt-5.5" : "scripted-model",
      advisor: null,
      reviewer: null,
    };
    await play({ provider, refuse }, { models });
    expect(recorder.text()).toBe("Done.");
    expect(bodies()[0]).toHaveProperty(path);
    expect(bodies().slice(1)).toHaveLength(2);
    for (const body of bodies().slice(1)) expect(body).not.toHaveProperty(path);
  });

  it("of the history is left out of every message", async () => {
    await play({ refuse: reasoningContentUnsupported });
    expect(recorder.text()).toBe("Done.");
    expect(JSON.stringify(bodies()[1])).toContain("reasoning_content");
    expect(JSON.stringify(bodies()[2])).not.toContain("reasoning_content");
  });

  it("that every answer of the history must have is written into those without a thought", async () => {
    const history = async () => [
      { role: "user" as const, content: "Earlier?" },
      { role: "assistant" as const, content: "Yes." },
    ];
    await play({ refuse: reasoningContentRequired }, {}, { history });
    expect(recorder.text()).toBe("Done.");
    const thoughts = bodies().map((body) =>
      (body.messages as Record<string, unknown>[]).flatMap(({ role, reasoning_content }) =>
        role === "assistant" ? [reasoning_content] : [],
      ),
    );
    expect(thoughts).toEqual([[undefined], [" "], [" ", "Hm."]]);
  });

  it("one after another are all learned", async () => {
    const refuse = refuseAll(maxTokensRenamed, unsupportedParameter("stream_options"), outputLimit(4_096));
    await play({ refuse });
    expect(recorder.text()).toBe("Done.");
    expect(bodies()).toHaveLength(5);
    expect(bodies().at(-1)).toMatchObject({ max_completion_tokens: 4_096 });
  });

  it.each<[ModelSettings["provider"], Refusing]>([
    ["openai-compatible", outputLimit(4_096)],
    ["anthropic", anthropicOutputLimit(4_096)],
  ])("%s: an answer's limit is learned from the words, and no answer is longer", async (provider, refuse) => {
    await play({ provider, refuse });
    expect(recorder.text()).toBe("Done.");
    expect(bodies().map((body) => body.max_tokens)).toEqual([16_000, 4_096, 4_096]);
  });

  it.each<[string, ModelSettings["provider"], string]>([
    ["at a server that speaks Anthropic's protocol", "anthropic", "scripted-model"],
    ["at a gateway to Anthropic", "openai-compatible", "anthropic/claude-sonnet-5"],
  ])("cache marks %s are left out from then on", async (_, provider, executor) => {
    await play(
      { provider, refuse: cacheMarksForbidden },
      { models: { executor, advisor: null, reviewer: null } },
    );
    expect(recorder.text()).toBe("Done.");
    expect(bodies().map((body) => JSON.stringify(body).includes("cache_control"))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ["Ollama", ollamaWithoutTools],
    ["OpenRouter", openRouterWithoutTools],
  ])("tools, refused by %s, end the run at once, and it says why", async (_, refuse) => {
    await expect(play({ refuse })).rejects.toMatchObject({
      name: "BackendFailure",
      isRetryable: false,
      message: expect.stringMatching(
        /^The model "scripted-model" at \S+ takes no tools, and the agent works with tools: /,
      ),
    });
    expect(bodies()).toHaveLength(1);
  });

  it("that is refused although it is not sent any more ends the run", async () => {
    const message = "Unsupported parameter: 'stream_options' is not supported with this model.";
    await expect(play({ refuse: () => fault({ status: 400, message }) })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
    expect(bodies()).toHaveLength(2);
  });
});
