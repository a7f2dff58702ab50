// The settings by which a job or an operator names a trust: one for each identifier of each provider, and the audience.
// Inputs of the Action, flags of the command and variables of a service have the same names. Pure.

import { line, matching } from "../base/settings/kinds.ts";
import type { Kind } from "../base/settings/setting.ts";
import type { FederationProviderName, ModelFederation } from "./provider.ts";
import { federationProviders } from "./providers.ts";

/** The setting of one identifier. */
export type IdentifierSetting = {
  readonly provider: FederationProviderName;
  /** Of the exchange: `federation_rule_id`. */
  readonly field: string;
  /** Of people: `federation rule`. */
  readonly title: string;
  readonly isRequired: boolean;
  readonly kind: Kind<string>;
};

/** In the order of the documentation. */
export const identifierSettings = {
  "anthropic-federation-rule-id": identifier("anthropic", "federation_rule_id"),
  "anthropic-organization-id": identifier("anthropic", "organization_id"),
  "anthropic-service-account-id": identifier("anthropic", "service_account_id"),
  "anthropic-workspace-id": identifier("anthropic", "workspace_id"),
  "openai-identity-provider-id": identifier("openai", "identity_provider_id"),
  "openai-service-account-id": identifier("openai", "service_account_id"),
  "openrouter-federation-policy-id": identifier("openrouter", "federation_policy_id"),
} as const;
export type IdentifierName = keyof typeof identifierSettings;
export type ByIdentifier<Value> = Readonly<Record<IdentifierName, Value>>;

/** What ID tokens are made for. */
export const audienceKind: Kind<string> = line({ maxChars: 255 });

/** One value for each identifier. */
export function byIdentifier<Value>(
  make: (setting: IdentifierSetting, name: IdentifierName) => Value,
): ByIdentifier<Value> {
  const made = identifierEntries().map(([name, setting]) => [name, make(setting, name)]);
  return Object.fromEntries(made) as ByIdentifier<Value>;
}

export type GivenFederation = {
  /** Null where one is not given, or wrong. */
  readonly values: ByIdentifier<string | null>;
  readonly audience: string | null;
  /** What a setting is called in messages. */
  readonly titleOf: (name: IdentifierName | "model-audience") => string;
};

/** Null where no identifier is given. Adds a line to `problems` for each one that is missing. */
export function readFederation(
  { values, audience, titleOf }: GivenFederation,
  problems: string[],
): ModelFederation | null {
  const given = identifierEntries().filter(([name]) => values[name] !== null);
  const [first] = given;
  if (first === undefined) {
    if (audience !== null)
      problems.push(
        `${titleOf("model-audience")} needs the identifiers of a model's provider, such as ${titleOf("anthropic-federation-rule-id")}.`,
      );
    return null;
  }
  const [firstName, { provider }] = first;
  const other = given.find(([, one]) => one.provider !== provider);
  if (other !== undefined) {
    problems.push(
      `${titleOf(firstName)} and ${titleOf(other[0])} exclude each other: a run has one model provider.`,
    );
    return null;
  }
  const missing = identifierEntries().filter(
    ([name, one]) => one.provider === provider && one.isRequired && values[name] === null,
  );
  for (const [name, { title, kind }] of missing)
    problems.push(
      `${titleOf(name)} is missing: beside ${titleOf(firstName)} it names the ${title}, ${kind.allowed}.`,
    );
  if (missing.length > 0) return null;
  return {
    provider,
    identifiers: Object.fromEntries(given.map(([name, { field }]) => [field, values[name] ?? ""])),
    audience: audience ?? federationProviders[provider].audience,
  };
}

function identifierEntries(): readonly (readonly [IdentifierName, IdentifierSetting])[] {
  return Object.entries(identifierSettings) as [IdentifierName, IdentifierSetting][];
}

function identifier(provider: FederationProviderName, field: string): IdentifierSetting {
  const found = federationProviders[provider].identifiers[field];
  if (found === undefined) throw new TypeError(`${provider} has no identifier ${field}.`);
  const { title, allowed, pattern, isRequired } = found;
  return { provider, field, title, isRequired, kind: matching(allowed, pattern) };
}
