// The settings by which a job or an operator names a trust: one for each identifier of each provider, and the audience.
// Inputs of the Action, flags of the command and variables of a service have the same names. Pure.

import { line, matching } from "../base/settings/kinds.ts";
import type { Kind } from "../base/settings/setting.ts";
import { type CloudName, isCloud } from "../contract/models/clouds.ts";
import { type ApiPlace, apiOfModel, federationOf, identifiersOf } from "../contract/models/federations.ts";
import {
  type FederatingProvider,
  federatingProviders,
  type IdentifierName,
  inputOf,
  type ModelProviderName,
} from "../contract/models/providers.ts";
import type { ModelFederation } from "./provider.ts";

/** The setting of one identifier. */
type IdentifierSetting = {
  readonly provider: FederatingProvider;
  /** Of the exchange: `federation_rule_id`. */
  readonly field: string;
  /** Of people: `federation rule`. */
  readonly title: string;
  readonly isRequired: boolean;
  readonly isOfAddress: boolean;
  readonly kind: Kind<string>;
};

type ByIdentifier<Value, Name extends IdentifierName = IdentifierName> = Readonly<Record<Name, Value>>;

/** In the order of the documentation. */
const identifiers = federatingProviders.flatMap((provider) =>
  identifiersOf(provider).map(
    ([field, { title, isRequired, isOfAddress = false, allowed, pattern }]): readonly [
      IdentifierName,
      IdentifierSetting,
    ] => [
      inputOf(provider, field),
      { provider, field, title, isRequired, isOfAddress, kind: matching(allowed, pattern) },
    ],
  ),
);

/** The audience of ID tokens. */
export const audienceKind: Kind<string> = line({ maxChars: 255 });

/** One value for each identifier. */
export function byIdentifier<Value>(
  make: (setting: IdentifierSetting, name: IdentifierName) => Value,
): ByIdentifier<Value> {
  const made = identifiers.map(([name, setting]) => [name, make(setting, name)]);
  return Object.fromEntries(made) as ByIdentifier<Value>;
}

/** The settings of a service that asks this model by the federation. Of a cloud it is told the protocol: the models are of many makers. */
export function federatedSettings(
  federation: ModelFederation,
  model: string,
): { readonly provider: ModelProviderName | "openai-compatible"; readonly baseUrl: string } {
  const { provider } = federation;
  const { protocol, baseUrl } = apiOfModel(federation, model);
  return { provider: isCloud(provider) ? protocol : provider, baseUrl };
}

/**
 * What the API of a cloud needs to be found, for a process that has credentials there: no trust is named. Null where something is missing, for
 * which a line is added to `problems`.
 */
export function readPlace(
  cloud: CloudName,
  { values, titleOf }: Pick<GivenFederation, "values" | "titleOf">,
  problems: string[],
): ApiPlace | null {
  const known = identifiers.filter(([, { provider }]) => provider === cloud);
  const given = known.filter(([name]) => (values[name] ?? null) !== null);
  const missing = known.filter((one) => one[1].isRequired && one[1].isOfAddress && !given.includes(one));
  for (const [name, { title, kind }] of missing)
    problems.push(`${titleOf(name)} is missing: it names the ${title}, ${kind.allowed}.`);
  if (missing.length > 0) return null;
  return {
    provider: cloud,
    identifiers: Object.fromEntries(given.map(([name, { field }]) => [field, values[name] ?? ""])),
  };
}

type GivenFederation = {
  /** Null where one is not given, or wrong. */
  readonly values: Partial<ByIdentifier<string | null>>;
  readonly audience: string | null;
  /** The name of a setting in messages. */
  readonly titleOf: (name: IdentifierName | "model-audience") => string;
};

/** Null where no identifier is given. Adds a line to `problems` for each one that is missing. */
export function readFederation(
  { values, audience, titleOf }: GivenFederation,
  problems: string[],
): ModelFederation | null {
  const isGiven = (name: IdentifierName) => (values[name] ?? null) !== null;
  const given = identifiers.filter(([name]) => isGiven(name));
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
  const missing = identifiers.filter(
    ([name, one]) => one.provider === provider && one.isRequired && !isGiven(name),
  );
  for (const [name, { title, kind }] of missing)
    problems.push(
      `${titleOf(name)} is missing: beside ${titleOf(firstName)} it names the ${title}, ${kind.allowed}.`,
    );
  if (missing.length > 0) return null;
  const named = Object.fromEntries(given.map(([name, { field }]) => [field, values[name] ?? ""]));
  return { provider, identifiers: named, audience: audience ?? federationOf(provider).audience(named) };
}
