// The settings that an operator is shown: all that are documented, each with its source, and no secret of any.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Config, readConfig } from "../../../src/service/settings/config.ts";

const SECRET = "s3cretValue-0123456789abcdef";
const DOCS = join(import.meta.dirname, "../../../docs/self-hosting/settings.md");

function configOf(environment: Record<string, string>, flags: Record<string, string> = {}): Config {
  const config = readConfig(flags, environment);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return config.value;
}

function shown(config: Config): ReadonlyMap<string, { source: string; text: string }> {
  const all = config.operators.settings().flatMap(({ settings }) => settings);
  return new Map(all.map(({ name, source, text }) => [name, { source, text }]));
}

describe("settings in force", () => {
  it("are all that are documented, and no other", () => {
    const documented = [...readFileSync(DOCS, "utf8").matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(documented.length).toBeGreaterThan(80);
    expect([...shown(configOf({})).keys()].sort()).toEqual([...new Set(documented)].sort());
  });

  it("say where each value is from, and the one that wins", () => {
    const settings = shown(configOf({ PORT: "9000", HOST: "0.0.0.0" }, { PORT: "9100" }));
    expect(settings.get("PORT")).toEqual({ source: "command line", text: "9100" });
    expect(settings.get("HOST")).toEqual({ source: "environment", text: "0.0.0.0" });
    expect(settings.get("RETENTION_DAYS")).toEqual({ source: "default", text: "90" });
    expect(settings.get("CORS_ORIGINS")).toEqual({ source: "default", text: "none" });
  });

  it("show of a secret only that it is set, wherever it stands", () => {
    const settings = shown(
      configOf({
        DATABASE_URL: `postgres://root:${SECRET}@127.0.0.1/x`,
        RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        SIGN_IN_ISSUER: "https://id.example",
        SIGN_IN_CLIENT_ID: "the-client",
        SIGN_IN_CLIENT_SECRET: SECRET,
        BACKEND: "model",
        MODEL: "some-model",
        MODEL_PROVIDER: "openai-compatible",
        MODEL_API_KEY: SECRET,
        MODEL_BASE_URL: "https://model.example/v1",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector.example:4318/?token=${SECRET}`,
        BLOB_STORE: "s3",
        S3_BUCKET: "bucket",
        S3_ENDPOINT: "https://s3.example",
        S3_ACCESS_KEY_ID: "AKIAEXAMPLE",
        S3_SECRET_ACCESS_KEY: SECRET,
        OPERATOR_IDENTITIES: "https://id.example#77",
      }),
    );
    expect([...settings.values()].map(({ text }) => text).join("\n")).not.toContain(SECRET);
    for (const name of ["DATABASE_URL", "RUN_SECRETS_KEY", "SIGN_IN_CLIENT_SECRET", "MODEL_API_KEY"])
      expect([name, settings.get(name)]).toEqual([name, { source: "environment", text: "set" }]);
    expect(settings.get("SIGN_IN_CLIENT_ID")?.text).toBe("the-client");
    expect(settings.get("OPERATOR_IDENTITIES")?.text).toBe("https://id.example#77");
    const command = shown(
      configOf({
        BACKEND: "acp",
        ACP_COMMAND: JSON.stringify(["agent", "--api-key", SECRET]),
        ACP_ENV: JSON.stringify({ KEY: SECRET }),
        ACP_SECRETS: "allowed",
      }),
    );
    expect([...command.values()].map(({ text }) => text).join("\n")).not.toContain(SECRET);
  });
});

describe("the identities of operators", () => {
  const providers = {
    SIGN_IN_ISSUER: "https://id.example",
    SIGN_IN_CLIENT_ID: "a",
    SIGN_IN_CLIENT_SECRET: "b",
  };
  const problemsOf = (environment: Record<string, string>) => {
    const config = readConfig({}, environment);
    return config.ok ? [] : config.refusal;
  };

  it("are issuer and subject, at the first # of the text", () => {
    const config = configOf({
      ...providers,
      OPERATOR_IDENTITIES: "https://id.example/#a#b, https://id.example#77",
    });
    expect(config.operators.identities).toEqual([
      { issuer: "https://id.example/", subject: "a#b" },
      { issuer: "https://id.example", subject: "77" },
    ]);
    expect(configOf({}).operators.identities).toEqual([]);
  });

  it.each(["ada@example.com", "https://id.example", "https://id.example#", "#77", "id.example#77"])(
    "are not %s",
    (text) => {
      expect(problemsOf({ ...providers, OPERATOR_IDENTITIES: text })).toEqual([
        `OPERATOR_IDENTITIES must be identities as <issuer>#<subject>, separated by commas, such as https://github.com#583231: never addresses, got ${JSON.stringify(text)}.`,
      ]);
    },
  );

  it("are of a provider that people sign in with here", () => {
    expect(problemsOf({ OPERATOR_IDENTITIES: "https://github.com#7" })).toEqual([
      'OPERATOR_IDENTITIES has "https://github.com#7", whose issuer nobody signs in with here: set SIGN_IN_ISSUER or SIGN_IN_GITHUB_CLIENT_ID.',
    ]);
    expect(problemsOf({ ...providers, OPERATOR_IDENTITIES: "https://github.com#7" })).toEqual([
      'OPERATOR_IDENTITIES has "https://github.com#7", whose issuer nobody signs in with here: the providers are https://id.example.',
    ]);
  });
});
