import { describe, expect, it } from "vitest";
import { readAcpConfig } from "../../../src/service/settings/acp-config.ts";
import { readModelConfig } from "../../../src/service/settings/model-config.ts";
import { type ModelIdentity, readModelIdentity } from "../../../src/service/settings/model-identity.ts";

type Variables = Readonly<Record<string, string>>;

function read(environment: Variables): { identity: ModelIdentity | null; problems: string[] } {
  const problems: string[] = [];
  return { identity: readModelIdentity(environment, problems), problems };
}

const anthropic = {
  MODEL_IDENTITY_TOKEN_FILE: "/var/run/token",
  ANTHROPIC_FEDERATION_RULE_ID: "fdrl_01Rule",
  ANTHROPIC_ORGANIZATION_ID: "0f1e2d3c-4b5a-4678-9abc-def012345678",
  ANTHROPIC_SERVICE_ACCOUNT_ID: "svac_01Account",
};
const federation = {
  provider: "anthropic",
  identifiers: {
    federation_rule_id: "fdrl_01Rule",
    organization_id: "0f1e2d3c-4b5a-4678-9abc-def012345678",
    service_account_id: "svac_01Account",
  },
  audience: "https://api.anthropic.com",
};

describe("the settings of a model without a key", () => {
  it("are not looked at without a file: other programs have variables of these names", () => {
    const { MODEL_IDENTITY_TOKEN_FILE: _, ...others } = anthropic;
    expect(read({ ...others, ANTHROPIC_WORKSPACE_ID: "nonsense" })).toEqual({ identity: null, problems: [] });
  });

  it("are a file and the identifiers of a trust", () => {
    expect(read(anthropic)).toEqual({
      identity: { federation, source: { kind: "file", tokenFile: "/var/run/token" } },
      problems: [],
    });
    const openrouter = {
      MODEL_IDENTITY_TOKEN_FILE: "token",
      OPENROUTER_FEDERATION_POLICY_ID: "4b2f7d1e-8c3a-4e5f-9a6b-1c2d3e4f5a6b",
      MODEL_AUDIENCE: "https://own.example",
    };
    expect(read(openrouter).identity?.federation).toMatchObject({
      provider: "openrouter",
      audience: "https://own.example",
    });
  });

  it("are a cloud that gives tokens itself, in the place of a file", () => {
    const { MODEL_IDENTITY_TOKEN_FILE: _, ...trust } = anthropic;
    for (const kind of ["aws", "gcp", "azure"]) {
      const environment = { ...trust, MODEL_IDENTITY: kind };
      expect(read(environment)).toEqual({
        identity: { federation, source: { kind, environment } },
        problems: [],
      });
    }
    expect(read({ ...anthropic, MODEL_IDENTITY: "file" }).identity?.source.kind).toBe("file");
    expect(read({ ...trust, MODEL_IDENTITY: "file" }).problems).toEqual([
      "MODEL_IDENTITY is file: name the file in MODEL_IDENTITY_TOKEN_FILE.",
    ]);
    expect(read({ ...anthropic, MODEL_IDENTITY: "gcp" }).problems).toEqual([
      "MODEL_IDENTITY is gcp, which reads no file: leave MODEL_IDENTITY_TOKEN_FILE out, or let MODEL_IDENTITY be file.",
    ]);
    expect(read({ MODEL_IDENTITY: "aws" }).problems).toEqual([
      "MODEL_IDENTITY needs the identifiers of a model's provider, such as ANTHROPIC_FEDERATION_RULE_ID.",
    ]);
    expect(read({ ...trust, MODEL_IDENTITY: "gcp", MODEL_API_KEY: "sk-1" }).problems).toEqual([
      "MODEL_API_KEY and MODEL_IDENTITY exclude each other: unset the key, which is not needed any more.",
    ]);
    expect(read({ ...trust, MODEL_IDENTITY: "oracle" }).problems[0]).toContain("MODEL_IDENTITY");
  });

  it("say what is missing, and what does not go with them", () => {
    expect(read({ MODEL_IDENTITY_TOKEN_FILE: "token" }).problems).toEqual([
      "MODEL_IDENTITY_TOKEN_FILE needs the identifiers of a model's provider, such as ANTHROPIC_FEDERATION_RULE_ID.",
    ]);
    expect(read({ ...anthropic, ANTHROPIC_ORGANIZATION_ID: "" }).problems).toEqual([
      "ANTHROPIC_ORGANIZATION_ID is missing: beside ANTHROPIC_FEDERATION_RULE_ID it names the organization, the UUID of an Anthropic organization.",
    ]);
    expect(
      read({
        ...anthropic,
        MODEL_API_KEY: "sk-1",
        MODEL_BASE_URL: "https://else.example/v1",
        MODEL_PROVIDER: "openai-compatible",
      }).problems,
    ).toEqual([
      "MODEL_API_KEY and MODEL_IDENTITY_TOKEN_FILE exclude each other: unset the key, which is not needed any more.",
      "MODEL_BASE_URL must be left out beside MODEL_IDENTITY_TOKEN_FILE: a token of Anthropic goes to https://api.anthropic.com/v1 alone.",
      'MODEL_PROVIDER must be anthropic for Anthropic, or left out, got "openai-compatible".',
    ]);
  });

  it("give the address and the protocol, for the model and for another agent", () => {
    const problems: string[] = [];
    const model = readModelConfig(
      { ...anthropic, MODEL: "claude-x" },
      { backend: "model", needsKey: true, problems },
    );
    expect(model).toMatchObject({
      identity: { federation },
      provider: "anthropic",
      baseUrl: "https://api.anthropic.com/v1",
      apiKey: null,
    });
    const openai = {
      MODEL_IDENTITY_TOKEN_FILE: "token",
      OPENAI_IDENTITY_PROVIDER_ID: "idp_1",
      OPENAI_SERVICE_ACCOUNT_ID: "user-1",
      ACP_COMMAND: '["opencode", "acp"]',
    };
    expect(readAcpConfig(openai, { backend: "acp", needsKey: true, problems })).toMatchObject({
      identity: { federation: { provider: "openai" } },
      model: { wire: "openai-compatible", baseUrl: "https://api.openai.com/v1", apiKey: null },
    });
    expect(problems).toEqual([]);
  });
});
