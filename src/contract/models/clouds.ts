// Clouds that have the models of several makers, one row each: the identifiers that name a trust and a place there, and the API that a
// model has at that place. To add one, add its name and answer what the compiler asks, with `src/federation/providers/<name>.ts`. Pure.
// Looked up on 2026-11-29: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle (the v1 API),
// https://platform.claude.com/docs/build-with-claude/claude-in-microsoft-foundry,
// https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html (runtime and mantle, inference profiles),
// https://platform.claude.com/docs/build-with-claude/claude-on-vertex-ai (hosts by location, rawPredict).
// Why: docs/decisions/169-models-in-a-cloud.md

import type { CodingAgentWire, ModelProtocol } from "./protocols.ts";

/** Where a process may be executed that has an identity by that. */
export const platforms = ["aws", "gcp", "azure"] as const;
export type Platform = (typeof platforms)[number];

export const cloudNames = ["foundry", "bedrock", "vertex"] as const;
export type CloudName = (typeof cloudNames)[number];

/** One of the names by which an exchange says which trust it relies on. None is a secret. */
export type FederationIdentifier = {
  /** As the provider calls it. */
  readonly title: string;
  /** Completes the sentence "… must be". */
  readonly allowed: string;
  readonly pattern: RegExp;
  readonly isRequired: boolean;
  /** Whether the address of the API holds it: a service that asks a model needs it, too. */
  readonly isOfAddress?: boolean;
};

export type Identifiers = Readonly<Record<string, string>>;

/** The API that has a model. */
export type FederatedApi = {
  /** Of the built-in agent. */
  readonly protocol: ModelProtocol;
  /** Of other coding agents. */
  readonly wire: CodingAgentWire;
  /** With the version, without a trailing slash. */
  readonly baseUrl: string;
  /** Anthropic's messages as Vertex has them: the address names the model, and the body the version. See `raw-predict.ts`. */
  readonly isRawPredict?: true;
};

type Cloud = {
  /** As people know it. */
  readonly title: string;
  /** The beginning of its inputs, flags and variables. */
  readonly prefix: string;
  /** What is executed there has credentials of its own, which its models take. */
  readonly platform: Platform;
  /** The audience of ID tokens unless it is configured otherwise. */
  audience(identifiers: Identifiers): string;
  readonly identifiers: Readonly<Record<string, FederationIdentifier>>;
  /** Every host that gets a token, the token endpoints' included. */
  hosts(identifiers: Identifiers): readonly string[];
  api(identifiers: Identifiers, model: string): FederatedApi;
  /** What is wrong with the name of a model there. Null: nothing that can be told without asking. */
  findModelFault(identifiers: Identifiers, model: string): string | null;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Models that are asked by Anthropic's protocol wherever they are. */
function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

/** OpenAI's own models, which have the Responses API. Its open ones are served by others' programs. */
function isOpenAi(model: string): boolean {
  return /(?:^|[^a-z])(?:gpt-(?!oss)|codex|o\d)/i.test(model);
}

function awsDomain(region = ""): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/** The host of a region's Security Token Service. */
export function stsHost(region = ""): string {
  return `sts.${region}.${awsDomain(region)}`;
}

const DEFAULT_LOCATION = "global";

function vertexHost(location = DEFAULT_LOCATION): string {
  if (location === "global") return "aiplatform.googleapis.com";
  return location.includes("-")
    ? `${location}-aiplatform.googleapis.com`
    : `aiplatform.${location}.rep.googleapis.com`;
}

const rows = {
  foundry: {
    title: "Microsoft Foundry",
    prefix: "azure",
    platform: "azure",
    audience: () => "api://AzureADTokenExchange",
    identifiers: {
      tenant_id: {
        title: "tenant",
        allowed: "the UUID of a Microsoft Entra tenant",
        pattern: uuid,
        isRequired: true,
      },
      client_id: {
        title: "application or managed identity",
        allowed: "the client id, a UUID, of an application or of a managed identity",
        pattern: uuid,
        isRequired: true,
      },
      resource: {
        title: "Foundry resource",
        allowed: "the name of a Foundry resource, the first part of its host name",
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])$/i,
        isRequired: true,
        isOfAddress: true,
      },
      token_scope: {
        title: "scope of the token",
        allowed: "https://ai.azure.com/.default or https://cognitiveservices.azure.com/.default",
        pattern: /^https:\/\/(?:ai|cognitiveservices)\.azure\.com\/\.default$/,
        isRequired: false,
      },
    },
    hosts: ({ resource }) => [
      "login.microsoftonline.com",
      `${resource}.openai.azure.com`.toLowerCase(),
      `${resource}.services.ai.azure.com`.toLowerCase(),
    ],
    // A model is named by its deployment, whose name says what it is as a rule.
    api: ({ resource }, model) => {
      const host = String(resource).toLowerCase();
      if (isClaude(model)) {
        const baseUrl = `https://${host}.services.ai.azure.com/anthropic/v1`;
        return { protocol: "anthropic", wire: "anthropic", baseUrl };
      }
      const protocol = isOpenAi(model) ? "openai" : "openai-compatible";
      return { protocol, wire: "openai-compatible", baseUrl: `https://${host}.openai.azure.com/openai/v1` };
    },
    findModelFault: (_, model) =>
      /^[a-z0-9](?:[\w.-]{0,63})$/i.test(model)
        ? null
        : `must be the name of a deployment in Foundry, like "claude-sonnet-5" or "gpt-5.5", got ${JSON.stringify(model)}`,
  },
  bedrock: {
    title: "Amazon Bedrock",
    prefix: "aws",
    platform: "aws",
    audience: ({ region }) => `sts.${awsDomain(region)}`,
    identifiers: {
      role_arn: {
        title: "role",
        allowed: "the ARN of an IAM role, arn:aws:iam::123456789012:role/…",
        pattern: /^arn:aws(?:-cn|-us-gov)?:iam::\d{12}:role\/[\w+=,.@/-]{1,500}$/,
        isRequired: true,
      },
      region: {
        title: "region",
        allowed: "an AWS region, like us-east-1",
        pattern: /^[a-z]{2}(?:-[a-z]{2,12}){1,2}-\d{1,2}$/,
        isRequired: true,
        isOfAddress: true,
      },
      endpoint: {
        title: "endpoint",
        allowed: "runtime or mantle",
        pattern: /^(?:runtime|mantle)$/,
        isRequired: false,
        isOfAddress: true,
      },
    },
    hosts: ({ region = "" }) => [
      stsHost(region),
      `bedrock-runtime.${region}.${awsDomain(region)}`,
      `bedrock-mantle.${region}.api.aws`,
    ],
    api: ({ region = "", endpoint }, model) => {
      const isMantle = endpoint === "mantle";
      const host = isMantle
        ? `bedrock-mantle.${region}.api.aws`
        : `bedrock-runtime.${region}.${awsDomain(region)}`;
      if (isClaude(model))
        return { protocol: "anthropic", wire: "anthropic", baseUrl: `https://${host}/anthropic/v1` };
      const protocol = isOpenAi(model) ? "openai" : "openai-compatible";
      // Mantle has Chat Completions without the prefix.
      const path = isMantle && protocol !== "openai" ? "/v1" : "/openai/v1";
      return { protocol, wire: "openai-compatible", baseUrl: `https://${host}${path}` };
    },
    findModelFault: ({ endpoint = "runtime" }, model) => {
      const got = `got ${JSON.stringify(model)}`;
      if (!isClaude(model))
        return /^[a-z][a-z0-9-]*\.[\w.:-]{1,120}$/i.test(model)
          ? null
          : `must be the id of a model in Amazon Bedrock, with its maker, like "openai.gpt-oss-120b-1:0", ${got}`;
      if (endpoint === "mantle")
        return /^anthropic\.claude-[\w.:-]{1,100}$/.test(model)
          ? null
          : `must be the id of a model where the endpoint is mantle, like "anthropic.claude-sonnet-5", ${got}`;
      return /^(?:global|us|us-gov|eu|apac|jp|au|ca)\.anthropic\.claude-[\w.:-]{1,100}$/.test(model)
        ? null
        : `must be an inference profile where the endpoint is runtime, like "us.anthropic.claude-sonnet-5" or "global.anthropic.claude-sonnet-5", ${got}`;
    },
  },
  vertex: {
    title: "Google Vertex AI",
    prefix: "google",
    platform: "gcp",
    audience: ({ workload_identity_provider: provider }) => `https://iam.googleapis.com/${provider}`,
    identifiers: {
      workload_identity_provider: {
        title: "workload identity provider",
        allowed:
          "the whole name of a workload identity provider, projects/{number}/locations/global/workloadIdentityPools/{pool}/providers/{provider}",
        pattern:
          /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
        isRequired: true,
      },
      service_account: {
        title: "service account",
        allowed: "the e-mail address of a service account",
        pattern: /^[a-z0-9-]{1,63}@[a-z0-9.-]{1,100}\.gserviceaccount\.com$/,
        isRequired: false,
      },
      project_id: {
        title: "project",
        allowed: "the id of a Google Cloud project, which is not its number",
        pattern: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
        isRequired: true,
        isOfAddress: true,
      },
      location: {
        title: "location",
        allowed: "a location of Vertex AI, like global, eu or us-east5",
        pattern: /^(?:global|us|eu|[a-z]{2,12}-[a-z]{2,20}\d{1,2})$/,
        isRequired: false,
        isOfAddress: true,
      },
    },
    hosts: ({ location }) => ["sts.googleapis.com", "iamcredentials.googleapis.com", vertexHost(location)],
    api: ({ project_id: project, location = DEFAULT_LOCATION }, model) => {
      const publishers = `https://${vertexHost(location)}/v1/projects/${project}/locations/${location}/publishers`;
      return isClaude(model)
        ? {
            protocol: "anthropic",
            wire: "anthropic",
            baseUrl: `${publishers}/anthropic/models`,
            isRawPredict: true,
          }
        : { protocol: "google", wire: "gemini", baseUrl: `${publishers}/google` };
    },
    findModelFault: (_, model) => {
      const got = `got ${JSON.stringify(model)}`;
      if (/^gemini-[\w.-]{1,80}$/.test(model)) return null;
      if (!/^claude-[\w.-]{1,60}(?:@\d{8})?$/.test(model))
        return `must be a model of Google or Anthropic in Vertex AI, like "gemini-3.5-flash" or "claude-sonnet-5", ${got}`;
      return /-\d{8}$/.test(model) ? `must have "@" before its date in Vertex AI, ${got}` : null;
    },
  },
} as const satisfies Readonly<Record<CloudName, Cloud>>;

export const clouds: Readonly<Record<CloudName, Cloud>> = rows;

/** The names of identifiers, as their inputs begin and as the exchange has them. */
export type CloudField = {
  [Name in CloudName]: readonly [(typeof rows)[Name]["prefix"], keyof (typeof rows)[Name]["identifiers"]];
}[CloudName];

export function isCloud(name: string): name is CloudName {
  return cloudNames.some((known) => known === name);
}
