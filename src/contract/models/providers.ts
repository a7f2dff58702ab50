// The providers of models, one row each: all that the rest has to know of one by name. To add a provider, add its name and
// answer what the compiler asks: this row, its models in `catalog.ts`, and where it takes identities of jobs in place of
// keys, its name among `federatingProviders` and `src/federation/providers/<name>.ts`. Pure.

import {
  type CloudField,
  type CloudName,
  cloudNames,
  clouds,
  type FederationIdentifier,
  isCloud,
} from "./clouds.ts";
import type { CodingAgentWire, ModelProtocol } from "./protocols.ts";

/** The day on which the rows were compared with the providers' documentation. */
export const PROVIDERS_DATE = "2026-11-22";

export const modelProviderNames = ["anthropic", "openai", "google", "openrouter"] as const;
export type ModelProviderName = (typeof modelProviderNames)[number];

/** Those that exchange the ID token of a job, or of an operator's platform, for an access token of theirs. */
export const federatingHouses = [
  "anthropic",
  "openai",
  "openrouter",
] as const satisfies readonly ModelProviderName[];
export type FederatingHouse = (typeof federatingHouses)[number];

/** With the clouds, which do so, too, and have models of several makers: `clouds.ts`. */
export const federatingProviders = [...federatingHouses, ...cloudNames] as const;
export type FederatingProvider = FederatingHouse | CloudName;

/** The model of examples, which are of a provider that federates. Checked on 2026-11-22. */
export const exampleModel = { provider: "anthropic", name: "claude-sonnet-5" } as const satisfies {
  readonly provider: FederatingHouse;
  readonly name: string;
};

type FederationFacts = {
  /** The audience of ID tokens unless the provider is configured otherwise. */
  readonly audience: string;
  /** Of its token endpoint. */
  readonly tokenHost: string;
  /** By the names of the exchange's fields. Inputs, flags and variables have the same names: `inputOf`, `variableOf`. */
  readonly identifiers: Readonly<Record<string, FederationIdentifier>>;
};

export type ModelProviderFacts = {
  /** As people know it. */
  readonly title: string;
  /** Other words for it in MODEL_PROVIDER. */
  readonly aliases: readonly string[];
  /** The address of its API, with the version, without a trailing slash. */
  readonly apiBaseUrl: string;
  /** The protocol of the built-in agent there. */
  readonly protocol: ModelProtocol;
  /** The protocol of other coding agents. */
  readonly wire: CodingAgentWire;
  /** Paths at its host where it imitates Chat Completions. Null: none. */
  readonly imitation: RegExp | null;
  /** The form of its models' names: for advice alone, since any API may have a model of any name. */
  readonly modelNames: RegExp;
  /** The environment variable in which its own tools look for a key. */
  readonly keyVariable: string;
  /** The resource that answers with a key alone, where its list of models answers without. Null: the list needs a key. */
  readonly keyResource: string | null;
};

type Rows = {
  readonly [Name in ModelProviderName]: ModelProviderFacts & {
    readonly federation: Name extends FederatingHouse ? FederationFacts : null;
  };
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** OpenAI publishes no form of its identifiers. */
const openaiId = /^[\w.:-]{1,200}$/;

const rows = {
  anthropic: {
    title: "Anthropic",
    aliases: [],
    apiBaseUrl: "https://api.anthropic.com/v1",
    protocol: "anthropic",
    wire: "anthropic",
    imitation: null,
    modelNames: /^claude-/,
    keyVariable: "ANTHROPIC_API_KEY",
    keyResource: null,
    federation: {
      audience: "https://api.anthropic.com",
      tokenHost: "api.anthropic.com",
      identifiers: {
        federation_rule_id: {
          title: "federation rule",
          allowed: "the id of a federation rule, fdrl_…",
          pattern: /^fdrl_[A-Za-z0-9_-]{1,100}$/,
          isRequired: true,
        },
        organization_id: {
          title: "organization",
          allowed: "the UUID of an Anthropic organization",
          pattern: uuid,
          isRequired: true,
        },
        service_account_id: {
          title: "service account",
          allowed: "the id of a service account, svac_…",
          pattern: /^svac_[A-Za-z0-9_-]{1,100}$/,
          isRequired: true,
        },
        workspace_id: {
          title: "workspace",
          allowed: 'the id of a workspace, wrkspc_…, or "default"',
          pattern: /^(default|wrkspc_[A-Za-z0-9_-]{1,100})$/,
          isRequired: false,
        },
      },
    },
  },
  openai: {
    title: "OpenAI",
    aliases: [],
    apiBaseUrl: "https://api.openai.com/v1",
    protocol: "openai",
    wire: "openai-compatible",
    imitation: null,
    modelNames: /^(?:gpt-|chatgpt-|codex-|o\d)/,
    keyVariable: "OPENAI_API_KEY",
    keyResource: null,
    federation: {
      audience: "https://api.openai.com/v1",
      tokenHost: "auth.openai.com",
      identifiers: {
        identity_provider_id: {
          title: "workload identity provider",
          allowed: "the id of a workload identity provider",
          pattern: openaiId,
          isRequired: true,
        },
        service_account_id: {
          title: "service account",
          allowed: "the id of a service account",
          pattern: openaiId,
          isRequired: true,
        },
      },
    },
  },
  google: {
    title: "Google",
    // As Gemini CLI calls it.
    aliases: ["gemini"],
    apiBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    protocol: "google",
    wire: "gemini",
    imitation: /\/openai\/?$/,
    modelNames: /^gemini-/,
    keyVariable: "GEMINI_API_KEY",
    keyResource: null,
    federation: null,
  },
  openrouter: {
    title: "OpenRouter",
    aliases: [],
    apiBaseUrl: "https://openrouter.ai/api/v1",
    protocol: "openai-compatible",
    wire: "openai-compatible",
    imitation: null,
    modelNames: /^[\w.-]+\/[\w.:-]+$/,
    keyVariable: "OPENROUTER_API_KEY",
    keyResource: "/key",
    federation: {
      // A policy names whatever audience its administrator chose; this is the host's own.
      audience: "https://openrouter.ai",
      tokenHost: "openrouter.ai",
      identifiers: {
        federation_policy_id: {
          title: "federation policy",
          allowed: "the UUID of a federation policy",
          pattern: uuid,
          isRequired: true,
        },
      },
    },
  },
} as const satisfies Rows;

export const modelProviders: Rows = rows;

/** Of those that federate. */
export function federatingTitles(): readonly string[] {
  return federatingProviders.map((name) => (isCloud(name) ? clouds[name] : modelProviders[name]).title);
}

type Hyphened<Name> = Name extends `${infer Start}_${infer End}` ? `${Start}-${Hyphened<End>}` : Name;

type Variable<Name> = Name extends `${infer Start}-${infer End}`
  ? `${Uppercase<Start>}_${Variable<End>}`
  : Uppercase<Name & string>;

/** Those of a maker of models. */
type HouseIdentifierName = {
  [Name in FederatingHouse]: `${Name}-${Hyphened<keyof (typeof rows)[Name]["federation"]["identifiers"] & string> & string}`;
}[FederatingHouse];

type CloudIdentifierName = CloudField extends infer Field
  ? Field extends readonly [infer Prefix extends string, infer Name extends string]
    ? `${Prefix}-${Hyphened<Name> & string}`
    : never
  : never;

/** The inputs and flags that name a trust. */
export type IdentifierName = HouseIdentifierName | CloudIdentifierName;

/** `federation_rule_id` of Anthropic as its users write it: `anthropic-federation-rule-id`. */
export function inputOf(provider: FederatingProvider, field: string): IdentifierName {
  const prefix = isCloud(provider) ? clouds[provider].prefix : provider;
  return `${prefix}-${field.replaceAll("_", "-")}` as IdentifierName;
}

/** The variables of a service that name one. Of a cloud they are those that its own programs have, as a rule. */
export type IdentifierVariable = Variable<IdentifierName>;

/** `anthropic-federation-rule-id` as a variable: `ANTHROPIC_FEDERATION_RULE_ID`. */
export function variableOf(input: IdentifierName): IdentifierVariable {
  return input.toUpperCase().replaceAll("-", "_") as IdentifierVariable;
}

export function isModelProvider(name: string): name is ModelProviderName {
  return Object.hasOwn(modelProviders, name);
}

/** Whether this address is of the provider's own host. */
export function isAt(provider: ModelProviderName, url: string): boolean {
  return new URL(modelProviders[provider].apiBaseUrl).hostname === new URL(url).hostname;
}

/** Whose API is at the host of this address. Null: nobody's that has a row. */
export function providerAt(url: string): ModelProviderName | null {
  return modelProviderNames.find((name) => isAt(name, url)) ?? null;
}

/** Whose model a name looks like. */
export function likelyProvider(model: string): ModelProviderName | null {
  return modelProviderNames.find((name) => modelProviders[name].modelNames.test(model)) ?? null;
}
