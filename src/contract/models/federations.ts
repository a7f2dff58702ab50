// Federation at a provider by its name, of makers of models and of clouds alike: the identifiers, the hosts that get a token, and the
// API of a model. Pure.

import {
  type CloudName,
  clouds,
  type FederatedApi,
  type FederationIdentifier,
  type Identifiers,
  isCloud,
} from "./clouds.ts";
import { type FederatingHouse, type FederatingProvider, modelProviders } from "./providers.ts";

type Federation = Pick<
  (typeof clouds)[CloudName],
  "title" | "identifiers" | "audience" | "hosts" | "api" | "findModelFault"
>;

export function federationOf(provider: FederatingProvider): Federation {
  return isCloud(provider) ? clouds[provider] : houseOf(provider);
}

/** A maker of models has one address, and any model may be there. */
function houseOf(provider: FederatingHouse): Federation {
  const { title, protocol, wire, apiBaseUrl: baseUrl, federation } = modelProviders[provider];
  return {
    title,
    identifiers: federation.identifiers,
    audience: () => federation.audience,
    hosts: () => [federation.tokenHost, new URL(baseUrl).host],
    api: () => ({ protocol, wire, baseUrl }),
    findModelFault: () => null,
  };
}

/** Whose API, and where it is. */
export type ApiPlace = { readonly provider: FederatingProvider; readonly identifiers: Identifiers };

/** The API that has a model of this name. */
export function apiOfModel({ provider, identifiers }: ApiPlace, model: string): FederatedApi {
  return federationOf(provider).api(identifiers, model);
}

/** The identifiers that the address of the API holds: all that a service gets to know of them. Null: it holds none. */
export function addressOf({ provider, identifiers }: ApiPlace): Identifiers | null {
  const known = Object.entries(federationOf(provider).identifiers).filter(
    ([, { isOfAddress }]) => isOfAddress,
  );
  const given = known.flatMap(([field]) => {
    const value = identifiers[field];
    return value === undefined ? [] : [[field, value]];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** What is wrong with an address that somebody gives: a part is missing, has another form, or belongs to another provider. */
export function findAddressFault(
  provider: FederatingProvider,
  given: Readonly<Record<string, string | undefined>>,
): string | null {
  const { title, identifiers } = federationOf(provider);
  const parts = Object.entries(identifiers).filter(([, { isOfAddress }]) => isOfAddress);
  for (const [field, { allowed, pattern, isRequired }] of parts) {
    const value = given[field];
    if (value === undefined && isRequired) return `"${field}" is missing: it must be ${allowed}`;
    if (value !== undefined && !pattern.test(value)) return `"${field}" must be ${allowed}`;
  }
  const other = Object.keys(given).find(
    (field) => given[field] !== undefined && !parts.some(([name]) => name === field),
  );
  return other === undefined ? null : `"${other}" is no part of the address of ${title}`;
}

export function identifiersOf(
  provider: FederatingProvider,
): readonly (readonly [string, FederationIdentifier])[] {
  return Object.entries(federationOf(provider).identifiers);
}
