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

const exchanged = (source: unknown) => ({
  place: federation,
  tokens: { kind: "exchange", federation, source },
});

describe("the settings of a model without a key", () => {
  it("are not looked at without a file: other programs have variables of these names", () => {
    const { MODEL_IDENTITY_TOKEN_FILE: _, ...others } = anthropic;
    expect(read({ ...others, ANTHROPIC_WORKSPACE_ID: "nonsense" })).toEqual({ identity: null, problems: [] });
  });

  it("are a file and the identifiers of a trust", () => {
    expect(read(anthropic)).toEqual({
      identity: exchanged({ kind: "file", tokenFile: "/var/run/token" }),
      problems: [],
    });
    const openrouter = {
      MODEL_IDENTITY_TOKEN_FILE: "token",
      OPENROUTER_FEDERATION_POLICY_ID: "4b2f7d1e-8c3a-4e5f-9a6b-1c2d3e4f5a6b",
      MODEL_AUDIENCE: "https://own.example",
    };
    expect(read(openrouter).identity?.place).toMatchObject({
      provider: "openrouter",
      audience: "https://own.example",
    });
  });

  it("are a cloud that gives tokens itself, in the place of a file", () => {
    const { MODEL_IDENTITY_TOKEN_FILE: _, ...trust } = anthropic;
    for (const kind of ["aws", "gcp", "azure"]) {
      const environment = { ...trust, MODEL_IDENTITY: kind };
      expect(read(environment)).toEqual({
        identity: exchanged({ kind, environment }),
        problems: [],
      });
    }
    expect(read({ ...anthropic, MODEL_IDENTITY: "file" }).identity?.tokens).toMatchObject({
      source: { kind: "file" },
    });
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

  it("are the place of models of the cloud that the service is executed on, and no trust", () => {
    const aws = { MODEL_IDENTITY: "aws", MODEL_PROVIDER: "bedrock", AWS_REGION: "eu-west-1" };
    expect(read({ ...aws, MODEL: "eu.anthropic.claude-x" })).toEqual({
      identity: {
        place: { provider: "bedrock", identifiers: { region: "eu-west-1" } },
        tokens: { kind: "own", cloud: "bedrock", environment: { ...aws, MODEL: "eu.anthropic.claude-x" } },
      },
      problems: [],
    });
    expect(
      read({
        MODEL_IDENTITY: "azure",
        MODEL_PROVIDER: "Foundry",
        AZURE_RESOURCE: "octo-models",
        AZURE_CLIENT_ID: "1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
        // Of another cloud, and of a maker of models: nobody looks at them.
        AWS_REGION: "nowhere",
        ANTHROPIC_WORKSPACE_ID: "nonsense",
      }).identity?.place,
    ).toEqual({
      provider: "foundry",
      identifiers: { client_id: "1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d", resource: "octo-models" },
    });
    expect(read({ MODEL_IDENTITY: "gcp", MODEL_PROVIDER: "vertex" }).problems).toEqual([
      "GOOGLE_PROJECT_ID is missing: it names the project, the id of a Google Cloud project, which is not its number.",
    ]);
    expect(read({ ...aws, AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/agents" }).problems).toEqual([
      "AWS_ROLE_ARN must be left out beside MODEL_IDENTITY=aws: models of Amazon Bedrock are asked with what this process has there. To exchange an identity token for that account, let MODEL_IDENTITY be file.",
    ]);
    expect(
      read({ ...aws, MODEL: "claude-sonnet-5", FALLBACK_MODEL: "gpt-5", MODEL_API_KEY: "key" }).problems,
    ).toEqual([
      "MODEL_API_KEY and MODEL_IDENTITY exclude each other: unset the key, which is not needed any more.",
      'MODEL must be an inference profile where the endpoint is runtime, like "us.anthropic.claude-sonnet-5" or "global.anthropic.claude-sonnet-5", got "claude-sonnet-5".',
      'FALLBACK_MODEL must be the id of a model in Amazon Bedrock, with its maker, like "openai.gpt-oss-120b-1:0", got "gpt-5".',
    ]);
  });

  it("are a trust of a cloud, too, for an identity from elsewhere", () => {
    const trust = {
      MODEL_PROVIDER: "bedrock",
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/agents",
      AWS_REGION: "us-east-1",
    };
    const place = {
      provider: "bedrock",
      identifiers: { role_arn: trust.AWS_ROLE_ARN, region: "us-east-1" },
      audience: "sts.amazonaws.com",
    };
    const { identity } = read({ ...trust, MODEL_IDENTITY_TOKEN_FILE: "/var/run/token" });
    expect(identity?.place).toEqual(place);
    expect(identity?.tokens.kind).toBe("exchange");
    expect(read({ ...trust, MODEL_IDENTITY: "gcp" }).identity?.tokens).toMatchObject({
      kind: "exchange",
      source: { kind: "gcp" },
    });
    expect(read({ MODEL_PROVIDER: "vertex", MODEL_IDENTITY_TOKEN_FILE: "token" }).problems).toEqual([
      "MODEL_IDENTITY_TOKEN_FILE needs the identifiers of a model's provider, such as GOOGLE_WORKLOAD_IDENTITY_PROVIDER.",
    ]);
  });

  it("may be said twice: the provider in any spelling, and its address with a slash at the end", () => {
    const again = { MODEL_PROVIDER: " Anthropic ", MODEL_BASE_URL: "https://api.anthropic.com/v1/ " };
    expect(read({ ...anthropic, ...again, MODEL_API_KEY: " " })).toEqual(read(anthropic));
  });

  it.each(["MODEL", "FALLBACK_MODEL", "EXPLORE_MODEL", "ADVISOR_MODEL", "REVIEWER_MODEL"])(
    "name the setting of a model that a cloud does not have: %s",
    (name) => {
      const aws = { MODEL_IDENTITY: "aws", MODEL_PROVIDER: "bedrock", AWS_REGION: "eu-west-1" };
      expect(read({ ...aws, MODEL: "us.anthropic.claude-x", [name]: "gpt-5" }).problems).toEqual([
        expect.stringMatching(new RegExp(`^${name} .*\\.$`)),
      ]);
    },
  );

  it("are needed where MODEL_PROVIDER is a cloud", () => {
    const problems: string[] = [];
    const cloud = { MODEL_PROVIDER: "bedrock", MODEL: "us.anthropic.claude-x", MODEL_API_KEY: "key" };
    expect(readModelConfig(cloud, { backend: "model", needsKey: true, problems })).toBeNull();
    expect(
      readAcpConfig(
        { ...cloud, ACP_COMMAND: '["opencode", "acp"]' },
        { backend: "acp", needsKey: true, problems },
      ),
    ).toBeNull();
    const said =
      "MODEL_PROVIDER=bedrock needs MODEL_IDENTITY: aws where this process is executed there, or file with an identity token that Amazon Bedrock trusts.";
    expect(problems).toEqual([said, said]);
  });

  it("give the address and the protocol, for the model and for another agent", () => {
    const problems: string[] = [];
    const model = readModelConfig(
      { ...anthropic, MODEL: "claude-x" },
      { backend: "model", needsKey: true, problems },
    );
    expect(model).toMatchObject({
      identity: { place: federation },
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
      identity: { place: { provider: "openai" } },
      model: { wire: "openai-compatible", baseUrl: "https://api.openai.com/v1", apiKey: null },
    });
    expect(problems).toEqual([]);
  });
});
