import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../src/service/settings/model-config.ts";

const given = {
  MODEL: "gpt-5.5",
  MODEL_BASE_URL: "https://api.openai.com/v1/",
  MODEL_API_KEY: "sk-secret",
};

function read(environment: Record<string, string>, backend = "model") {
  const problems: string[] = [];
  const config = readModelConfig(environment, { backend, needsKey: true, problems });
  return { config, problems };
}

describe("the settings of the model", () => {
  it("are not looked at for another backend", () => {
    expect(read({ MODEL_BASE_URL: "nonsense" }, "offline")).toEqual({ config: null, problems: [] });
  });

  it("are a model and where it is", () => {
    expect(read(given)).toEqual({
      problems: [],
      config: {
        identity: null,
        provider: "openai",
        baseUrl: "https://api.openai.com/v1",
        apiKey: "sk-secret",
        models: { executor: "gpt-5.5", fallback: null, explorer: null, advisor: null, reviewer: null },
        limits: {},
        effort: null,
      },
    });
  });

  it("take everything that there is to say", () => {
    const all = {
      ...given,
      MODEL_PROVIDER: "anthropic",
      FALLBACK_MODEL: "small",
      EXPLORE_MODEL: "smaller",
      ADVISOR_MODEL: "large",
      REVIEWER_MODEL: "other",
      MAX_TURNS: "10",
      MODEL_CONTEXT_TOKENS: "128000",
      MODEL_MAX_OUTPUT_TOKENS: "8000",
      MODEL_EFFORT: "high",
    };
    expect(read(all).config).toMatchObject({
      provider: "anthropic",
      models: {
        executor: "gpt-5.5",
        fallback: "small",
        explorer: "smaller",
        advisor: "large",
        reviewer: "other",
      },
      limits: { maxTurns: 10, contextTokens: 128_000, maxOutputTokens: 8_000 },
      effort: "high",
    });
  });

  it.each([
    ["anthropic", "anthropic", "https://api.anthropic.com/v1"],
    ["openai", "openai", "https://api.openai.com/v1"],
    ["google", "google", "https://generativelanguage.googleapis.com/v1beta"],
    ["gemini", "google", "https://generativelanguage.googleapis.com/v1beta"],
    ["openrouter", "openai-compatible", "https://openrouter.ai/api/v1"],
  ])("know %s by its address, and its address by its name", (word, provider, baseUrl) => {
    const named = { MODEL: "some-model", MODEL_API_KEY: "sk-secret", MODEL_PROVIDER: word };
    expect(read(named)).toMatchObject({ problems: [], config: { provider, baseUrl } });
    const addressed = { MODEL: "some-model", MODEL_API_KEY: "sk-secret", MODEL_BASE_URL: baseUrl };
    expect(read(addressed).config).toMatchObject({ provider, baseUrl });
    for (const keyless of [
      { ...named, MODEL_API_KEY: "" },
      { ...addressed, MODEL_API_KEY: "" },
    ])
      expect(read(keyless)).toEqual({
        config: null,
        problems: [expect.stringMatching(/^MODEL_API_KEY must be set: /)],
      });
  });

  it.each([
    ["a host that nobody knows", "https://llm.example.com/v1"],
    ["Google's imitation", "https://generativelanguage.googleapis.com/v1beta/openai"],
  ])("take %s for Chat Completions", (_, baseUrl) => {
    const addressed = { MODEL: "some-model", MODEL_API_KEY: "sk-secret", MODEL_BASE_URL: baseUrl };
    expect(read(addressed).config?.provider).toBe("openai-compatible");
  });

  it("take OpenAI's own API by Chat Completions where that is said", () => {
    expect(read({ ...given, MODEL_PROVIDER: "openai-compatible" }).config?.provider).toBe(
      "openai-compatible",
    );
  });

  it("say what is missing", () => {
    expect(read({}).problems).toEqual([
      "MODEL must be set for BACKEND model: the model's name, as its server calls it.",
      "MODEL_BASE_URL must be set for BACKEND model: the address of its API, such as https://api.openai.com/v1 " +
        "(or MODEL_PROVIDER anthropic, openai, google or openrouter, which have addresses of their own).",
    ]);
  });

  it.each([
    [
      "MODEL",
      "two words",
      'MODEL must be the name of a model, at most 200 characters without spaces, got "two words".',
    ],
    [
      "MODEL_BASE_URL",
      "https://h/?key=1",
      'MODEL_BASE_URL must be an http:// or https:// URL without user, query or fragment, got "https://h/?key=1".',
    ],
    [
      "MODEL_API_KEY",
      "sk\nsecret",
      "MODEL_API_KEY must be one line of visible ASCII characters, got something else.",
    ],
    [
      "MODEL_PROVIDER",
      "x",
      'MODEL_PROVIDER must be one of anthropic, openai, google, openrouter, openai-compatible, foundry, bedrock, vertex, gemini, got "x".',
    ],
    ["MODEL_EFFORT", "extreme", 'MODEL_EFFORT must be one of low, medium, high, max, got "extreme".'],
    ["MAX_TURNS", "0", 'MAX_TURNS must be an integer from 1 to 1000, got "0".'],
  ])("refuse %s=%j", (name, value, problem) => {
    expect(read({ ...given, [name]: value })).toEqual({ config: null, problems: [problem] });
  });
});
