// The settings by which an operator's service gets a token of its model's provider in place of a key: a file in which the platform
// keeps an identity token, and the identifiers of the trust. Pure.

import type { Environment } from "../../base/environment.ts";
import { text } from "../../base/settings/kinds.ts";
import { type DescribedSetting, described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import { apiOfModel, federationOf } from "../../contract/models/federations.ts";
import {
  type HouseIdentifierName,
  type IdentifierVariable,
  variableOf,
} from "../../contract/models/providers.ts";
import { audienceKind, byHousesIdentifier, readFederation } from "../../federation/federation-settings.ts";
import type { ModelFederation } from "../../federation/provider.ts";

export type ModelIdentity = {
  readonly federation: ModelFederation;
  /** Read again for each exchange: the platform replaces the token. */
  readonly tokenFile: string;
};

const identifierSettings = Object.fromEntries(
  Object.values(
    byHousesIdentifier(({ kind, title, provider }, name) => [
      variableOf(name),
      described({
        kind,
        fallback: null,
        description: `${federationOf(provider).title}: the ${title}.`,
        shownDefault: "none",
      }),
    ]),
  ),
) as Readonly<Record<IdentifierVariable, DescribedSetting<string | null>>>;

/** By the names of their environment variables, in the order of the documentation. */
export const identitySettings = {
  MODEL_IDENTITY_TOKEN_FILE: described({
    kind: text("a file"),
    fallback: null,
    description:
      "A file with the identity token of this process, which the platform keeps fresh, such as a projected service account token. It replaces `MODEL_API_KEY`; the others of this table name the trust.",
    shownDefault: "none: a key is used",
  }),
  ...identifierSettings,
  MODEL_AUDIENCE: described({
    kind: audienceKind,
    fallback: null,
    description: "What the identity token is made for, where the trust names another audience.",
    shownDefault: "the provider's own",
  }),
};

/** Null without a file: other programs have variables of these names, too. Adds a line to `problems` for each that is wrong. */
export function readModelIdentity(environment: Environment, problems: string[]): ModelIdentity | null {
  if ((environment.MODEL_IDENTITY_TOKEN_FILE ?? "").trim() === "") return null;
  const { values, problems: faults } = readSettings(identitySettings, variablesOf(environment));
  const { MODEL_IDENTITY_TOKEN_FILE: tokenFile, MODEL_AUDIENCE: audience } = values;
  problems.push(...faults);
  if (faults.length > 0 || tokenFile === null) return null;
  const given = byHousesIdentifier((_, name) => values[variableOf(name)]);
  // No other identifier is among the values.
  const titleOf = (name: string) =>
    name === "model-audience" ? "MODEL_AUDIENCE" : variableOf(name as HouseIdentifierName);
  if (Object.values(given).every((id) => id === null)) {
    problems.push(
      "MODEL_IDENTITY_TOKEN_FILE needs the identifiers of a model's provider, such as ANTHROPIC_FEDERATION_RULE_ID.",
    );
    return null;
  }
  const federation = readFederation({ values: given, audience, titleOf }, problems);
  if (federation === null) return null;
  problems.push(...faultsBeside(federation, environment));
  return { federation, tokenFile };
}

/** The token goes to its own provider alone. */
function faultsBeside(federation: ModelFederation, environment: Environment): string[] {
  const { provider } = federation;
  const { title } = federationOf(provider);
  const { baseUrl, wire } = apiOfModel(federation, environment.MODEL ?? "");
  const words = ["", provider, wire];
  const given = (name: string) => (environment[name] ?? "").trim();
  const protocol = given("MODEL_PROVIDER").toLowerCase();
  return [
    ...(given("MODEL_API_KEY") === ""
      ? []
      : [
          "MODEL_API_KEY and MODEL_IDENTITY_TOKEN_FILE exclude each other: unset the key, which is not needed any more.",
        ]),
    ...(["", baseUrl].includes(given("MODEL_BASE_URL").replace(/\/$/, ""))
      ? []
      : [
          `MODEL_BASE_URL must be left out beside MODEL_IDENTITY_TOKEN_FILE: a token of ${title} goes to ${baseUrl} alone.`,
        ]),
    ...(words.includes(protocol)
      ? []
      : [`MODEL_PROVIDER must be ${provider} for ${title}, or left out, got ${JSON.stringify(protocol)}.`]),
  ];
}
