// The settings by which an operator's service gets a token of its model's provider in place of a key: a file in which the platform
// keeps an identity token, or the cloud that gives one, and the identifiers of the trust. Pure.

import type { Environment } from "../../base/environment.ts";
import { oneOf, text } from "../../base/settings/kinds.ts";
import { type DescribedSetting, described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import { apiOfModel, federationOf } from "../../contract/models/federations.ts";
import {
  type HouseIdentifierName,
  type IdentifierVariable,
  variableOf,
} from "../../contract/models/providers.ts";
import { audienceKind, byHousesIdentifier, readFederation } from "../../federation/federation-settings.ts";
import { type Platform, platforms } from "../../federation/platforms/platform-token.ts";
import type { ModelFederation } from "../../federation/provider.ts";

/** Asked again for each exchange: the platform replaces the token. */
export type IdentitySource =
  | { readonly kind: "file"; readonly tokenFile: string }
  | { readonly kind: Platform; readonly environment: Environment };

export type ModelIdentity = {
  readonly federation: ModelFederation;
  readonly source: IdentitySource;
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
  MODEL_IDENTITY: described({
    kind: oneOf(["file", ...platforms]),
    fallback: null,
    description:
      "Who gives this process an identity token: a file that the platform keeps, or the cloud that it is executed on, by the role, service account or managed identity that it has there. It replaces `MODEL_API_KEY`; the others of this table name the trust.",
    shownDefault: "`file` with `MODEL_IDENTITY_TOKEN_FILE`, else none: a key is used",
  }),
  MODEL_IDENTITY_TOKEN_FILE: described({
    kind: text("a file"),
    fallback: null,
    description:
      "With `MODEL_IDENTITY=file`: a file with the identity token of this process, which the platform keeps fresh, such as a projected service account token.",
    shownDefault: "none",
  }),
  ...identifierSettings,
  MODEL_AUDIENCE: described({
    kind: audienceKind,
    fallback: null,
    description: "What the identity token is made for, where the trust names another audience.",
    shownDefault: "the provider's own",
  }),
};

/** Null without these: other programs have variables of the other names, too. Adds a line to `problems` for each that is wrong. */
export function readModelIdentity(environment: Environment, problems: string[]): ModelIdentity | null {
  const isGiven = (name: string) => (environment[name] ?? "").trim() !== "";
  if (!isGiven("MODEL_IDENTITY") && !isGiven("MODEL_IDENTITY_TOKEN_FILE")) return null;
  const { values, problems: faults } = readSettings(identitySettings, variablesOf(environment));
  const { MODEL_IDENTITY: kind, MODEL_IDENTITY_TOKEN_FILE: tokenFile, MODEL_AUDIENCE: audience } = values;
  problems.push(...faults);
  if (faults.length > 0) return null;
  const source = sourceOf({ kind: kind ?? "file", tokenFile, environment }, problems);
  if (source === null) return null;
  const turnedOnBy = source.kind === "file" ? "MODEL_IDENTITY_TOKEN_FILE" : "MODEL_IDENTITY";
  const given = byHousesIdentifier((_, name) => values[variableOf(name)]);
  // No other identifier is among the values.
  const titleOf = (name: string) =>
    name === "model-audience" ? "MODEL_AUDIENCE" : variableOf(name as HouseIdentifierName);
  if (Object.values(given).every((id) => id === null)) {
    problems.push(
      `${turnedOnBy} needs the identifiers of a model's provider, such as ANTHROPIC_FEDERATION_RULE_ID.`,
    );
    return null;
  }
  const federation = readFederation({ values: given, audience, titleOf }, problems);
  if (federation === null) return null;
  problems.push(...faultsBeside(federation, { environment, turnedOnBy }));
  return { federation, source };
}

function sourceOf(
  {
    kind,
    tokenFile,
    environment,
  }: {
    readonly kind: "file" | Platform;
    readonly tokenFile: string | null;
    readonly environment: Environment;
  },
  problems: string[],
): IdentitySource | null {
  if (kind === "file") {
    if (tokenFile !== null) return { kind, tokenFile };
    problems.push("MODEL_IDENTITY is file: name the file in MODEL_IDENTITY_TOKEN_FILE.");
    return null;
  }
  if (tokenFile === null) return { kind, environment };
  problems.push(
    `MODEL_IDENTITY is ${kind}, which reads no file: leave MODEL_IDENTITY_TOKEN_FILE out, or let MODEL_IDENTITY be file.`,
  );
  return null;
}

/** The token goes to its own provider alone. */
function faultsBeside(
  federation: ModelFederation,
  { environment, turnedOnBy }: { readonly environment: Environment; readonly turnedOnBy: string },
): string[] {
  const { provider } = federation;
  const { title } = federationOf(provider);
  const { baseUrl, wire } = apiOfModel(federation, environment.MODEL ?? "");
  const words = ["", provider, wire];
  const given = (name: string) => (environment[name] ?? "").trim();
  const protocol = given("MODEL_PROVIDER").toLowerCase();
  return [
    ...(given("MODEL_API_KEY") === ""
      ? []
      : [`MODEL_API_KEY and ${turnedOnBy} exclude each other: unset the key, which is not needed any more.`]),
    ...(["", baseUrl].includes(given("MODEL_BASE_URL").replace(/\/$/, ""))
      ? []
      : [
          `MODEL_BASE_URL must be left out beside ${turnedOnBy}: a token of ${title} goes to ${baseUrl} alone.`,
        ]),
    ...(words.includes(protocol)
      ? []
      : [`MODEL_PROVIDER must be ${provider} for ${title}, or left out, got ${JSON.stringify(protocol)}.`]),
  ];
}
