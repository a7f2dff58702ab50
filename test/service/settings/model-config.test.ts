import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../src/service/settings/model-config.ts";

const given = {
  MODEL: "gpt-5.5",
  MODEL_BASE_URL: "https://api.openai.com/v1/",
  MODEL_API_KEY: "sk-secret",
};

function read(environment: Record<string, string>, backend = "model") {
  const problems: string[] = [];
  const config = readModelConfig(environment, { backend, problems });
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
        provider: "openai-compatible",
        baseUrl: "https://api.openai.com/v1",
        apiKey: "sk-secret",
        models: { executor: "gpt-5.5", advisor: null, reviewer: null },
        limits: {},
        fetchAllow: [],
      },
    });
  });

  it("take everything that there is to say", () => {
    const all = {
      ...given,
      MODEL_PROVIDER: "anthropic",
      ADVISOR_MODEL: "large",
      REVIEWER_MODEL: "other",
      MAX_TURNS: "10",
      MODEL_CONTEXT_TOKENS: "128000",
      MODEL_MAX_OUTPUT_TOKENS: "8000",
      FETCH_ALLOW: "docs.example.com:8443, *.Example.org,",
    };
    expect(read(all).config).toMatchObject({
      provider: "anthropic",
      models: { executor: "gpt-5.5", advisor: "large", reviewer: "other" },
      limits: { maxTurns: 10, contextTokens: 128_000, maxOutputTokens: 8_000 },
      fetchAllow: ["docs.example.com:8443", "*.example.org"],
    });
  });

  it("know Anthropic by its address, and its address by its name", () => {
    const named = { MODEL: "claude", MODEL_PROVIDER: "anthropic" };
    expect(read(named)).toMatchObject({ problems: [], config: { provider: "anthropic", baseUrl: null } });
    const addressed = { MODEL: "claude", MODEL_BASE_URL: "https://api.anthropic.com/v1" };
    expect(read(addressed).config?.provider).toBe("anthropic");
  });

  it("say what is missing", () => {
    expect(read({}).problems).toEqual([
      "MODEL must be set for BACKEND model: the model's name, as its server calls it.",
      "MODEL_BASE_URL must be set for BACKEND model: the address of its API, such as https://api.openai.com/v1 " +
        "(or MODEL_PROVIDER anthropic, which has an address of its own).",
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
    ["MODEL_PROVIDER", "x", 'MODEL_PROVIDER must be one of openai-compatible, anthropic, gemini, got "x".'],
    ["MAX_TURNS", "0", 'MAX_TURNS must be an integer from 1 to 1000, got "0".'],
    [
      "FETCH_ALLOW",
      "https://h",
      'FETCH_ALLOW must be a list of host names, with a port where it is not 443, separated by commas, got "https://h".',
    ],
  ])("refuse %s=%j", (name, value, problem) => {
    expect(read({ ...given, [name]: value })).toEqual({ config: null, problems: [problem] });
  });
});
