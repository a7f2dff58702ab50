import { describe, expect, it } from "vitest";
import { secretsIn, secretsOfEnvironment } from "../../../src/service/settings/known-secrets.ts";

describe("the secrets of variables", () => {
  it("are found by their names, inside JSON too, and by the forms of keys", () => {
    const config = { provider: [{ options: { apiKey: "opaque-and-long" } }], model: "my-model" };
    const found = secretsIn({
      AGENT_CONFIG: JSON.stringify(config),
      OTHER: "sk-ant-api03-0123",
      URL: "https://u:p4ss@a.example",
    });
    expect(found).toEqual([
      { place: "AGENT_CONFIG.provider.0.options.apiKey", secret: "opaque-and-long" },
      { place: "OTHER", secret: "sk-ant-api03-0123" },
      { place: "URL", secret: "p4ss" },
    ]);
  });

  it("are no numbers, paths, words of other variables or placeholders", () => {
    const names = {
      MAX_TOKENS: "32000000",
      SSH_KEY: "/etc/key-of-ssh",
      ENV_KEY: "MODEL_API_KEY",
      API_KEY: "{model_key}",
    };
    expect(secretsIn({ ...names, AUTHOR: "Ada Lovelace", KEY: "short" })).toEqual([]);
  });

  it("of a whole environment are those that look random: a word is no secret because of its variable", () => {
    const environment = {
      NPM_TOKEN: "npm_0123456789abcdef",
      "INPUT_MODEL-API-KEY": "sk-proj-0123456789abcdef",
      AGENT_SERVICE_MODEL_ID_TOKEN_2: "eyJ0eXAi.eyJhdWQi.c2ln0123",
      CACHE_KEY: "production-release",
      DATABASE_URL: "postgres://postgres:postgres@127.0.0.1/test",
      PATH: "/usr/bin",
    };
    expect(secretsOfEnvironment(environment)).toEqual([
      "npm_0123456789abcdef",
      "sk-proj-0123456789abcdef",
      "eyJ0eXAi.eyJhdWQi.c2ln0123",
    ]);
  });
});
