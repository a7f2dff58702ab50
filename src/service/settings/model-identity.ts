// The settings by which an operator's service gets a token of its model's provider in place of a key: a file in which the platform
// keeps an identity token, or the cloud that gives one, and the identifiers of the trust. Pure.

import type { Environment } from "../../base/environment.ts";
import { oneOf, text } from "../../base/settings/kinds.ts";
import { type DescribedSetting, described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import { type CloudName, clouds, isCloud, type Platform, platforms } from "../../contract/models/clouds.ts";
import { type ApiPlace, apiOfModel, federationOf, identifiersOf } from "../../contract/models/federations.ts";
import {
  type FederatingProvider,
  type IdentifierName,
  type IdentifierVariable,
  inputOf,
  variableOf,
} from "../../contract/models/providers.ts";
import {
  audienceKind,
  byIdentifier,
  readFederation,
  readPlace,
} from "../../federation/federation-settings.ts";
import type { ModelFederation } from "../../federation/provider.ts";

/** Asked again for each exchange: the platform replaces the token. */
export type IdentitySource =
  | { readonly kind: "file"; readonly tokenFile: string }
  | { readonly kind: Platform; readonly environment: Environment };

export type ModelIdentity = {
  /** Whose API, and where it is. */
  readonly place: ApiPlace;
  readonly tokens: PlatformTokenSource;
};

/** `exchange`: of an identity token. `own`: what this process has in the cloud that it is executed on, for the models of the same. */
export type PlatformTokenSource =
  | { readonly kind: "exchange"; readonly federation: ModelFederation; readonly source: IdentitySource }
  | { readonly kind: "own"; readonly cloud: CloudName; readonly environment: Environment };

const identifierSettings = Object.fromEntries(
  Object.values(
    byIdentifier(({ kind, title, provider }, name) => [
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
      "Who gives this process an identity: a file that the platform keeps, or the cloud that it is executed on, by the role, service account or managed identity that it has there. It replaces `MODEL_API_KEY`. The others of this table name the trust, and with `MODEL_PROVIDER` `bedrock`, `vertex` or `foundry` the place of the models; a cloud's are read with that alone.",
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
  const word = (environment.MODEL_PROVIDER ?? "").trim().toLowerCase();
  const cloud = isCloud(word) ? word : null;
  const { values, problems: faults } = readSettings(settingsFor(cloud), variablesOf(environment));
  const { MODEL_IDENTITY: kind, MODEL_IDENTITY_TOKEN_FILE: tokenFile, MODEL_AUDIENCE: audience } = values;
  problems.push(...faults);
  if (faults.length > 0) return null;
  const source = sourceOf({ kind: kind ?? "file", tokenFile, environment }, problems);
  if (source === null) return null;
  const turnedOnBy = source.kind === "file" ? "MODEL_IDENTITY_TOKEN_FILE" : "MODEL_IDENTITY";
  const given = byIdentifier((_, name) => values[variableOf(name)] ?? null);
  const titleOf = (name: IdentifierName | "model-audience") =>
    name === "model-audience" ? "MODEL_AUDIENCE" : variableOf(name);
  const identity =
    cloud !== null && clouds[cloud].platform === source.kind
      ? ownOf(cloud, { given, titleOf, environment }, problems)
      : exchangedOf(source, { given, titleOf, audience, cloud, turnedOnBy }, problems);
  if (identity === null) return null;
  problems.push(...faultsBeside(identity.place, { environment, turnedOnBy }));
  return identity;
}

/** Of a cloud's identifiers those of the cloud that is named: its own programs have variables of the same names. */
function settingsFor(cloud: CloudName | null) {
  const { MODEL_IDENTITY, MODEL_IDENTITY_TOKEN_FILE, MODEL_AUDIENCE } = identitySettings;
  const isRead = (provider: FederatingProvider) => (cloud === null ? !isCloud(provider) : provider === cloud);
  const read = Object.entries(
    byIdentifier(({ provider }, name) => (isRead(provider) ? variableOf(name) : null)),
  ).flatMap(([, name]) => (name === null ? [] : [[name, identitySettings[name]] as const]));
  const identifiers: Partial<typeof identifierSettings> = Object.fromEntries(read);
  return { MODEL_IDENTITY, MODEL_IDENTITY_TOKEN_FILE, MODEL_AUDIENCE, ...identifiers };
}

type GivenIdentifiers = {
  readonly given: Readonly<Record<IdentifierName, string | null>>;
  readonly titleOf: (name: IdentifierName | "model-audience") => string;
};

function exchangedOf(
  source: IdentitySource,
  {
    given,
    titleOf,
    audience,
    cloud,
    turnedOnBy,
  }: GivenIdentifiers & {
    readonly audience: string | null;
    readonly cloud: CloudName | null;
    readonly turnedOnBy: string;
  },
  problems: string[],
): ModelIdentity | null {
  if (Object.values(given).every((id) => id === null)) {
    const [example = ""] = cloud === null ? ["ANTHROPIC_FEDERATION_RULE_ID"] : variablesOfCloud(cloud);
    problems.push(`${turnedOnBy} needs the identifiers of a model's provider, such as ${example}.`);
    return null;
  }
  const federation = readFederation({ values: given, audience, titleOf }, problems);
  return federation === null ? null : { place: federation, tokens: { kind: "exchange", federation, source } };
}

function variablesOfCloud(cloud: CloudName): readonly string[] {
  return identifiersOf(cloud).map(([field]) => variableOf(inputOf(cloud, field)));
}

/** Identifiers of a trust that says which token is exchanged for which account. */
const trusts: readonly IdentifierName[] = [
  "aws-role-arn",
  "google-workload-identity-provider",
  "google-service-account",
];

function ownOf(
  cloud: CloudName,
  { given, titleOf, environment }: GivenIdentifiers & { readonly environment: Environment },
  problems: string[],
): ModelIdentity | null {
  const trust = trusts.find((name) => given[name] !== null);
  if (trust !== undefined) {
    problems.push(
      `${titleOf(trust)} must be left out beside MODEL_IDENTITY=${clouds[cloud].platform}: models of ${clouds[cloud].title} are asked with what this process has there. To exchange an identity token for that account, let MODEL_IDENTITY be file.`,
    );
    return null;
  }
  const place = readPlace(cloud, { values: given, titleOf }, problems);
  return place === null ? null : { place, tokens: { kind: "own", cloud, environment } };
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
  place: ApiPlace,
  { environment, turnedOnBy }: { readonly environment: Environment; readonly turnedOnBy: string },
): string[] {
  const { provider, identifiers } = place;
  const { title, findModelFault } = federationOf(provider);
  const given = (name: string) => (environment[name] ?? "").trim();
  const { baseUrl, wire } = apiOfModel(place, given("MODEL"));
  const words = ["", provider, wire];
  const protocol = given("MODEL_PROVIDER").toLowerCase();
  const models = modelVariables.flatMap((name) => {
    const fault = given(name) === "" ? null : findModelFault(identifiers, given(name));
    return fault === null ? [] : [`${name} ${fault}.`];
  });
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
    ...models,
  ];
}

/** Settings that name a model. */
const modelVariables = ["MODEL", "FALLBACK_MODEL", "EXPLORE_MODEL", "ADVISOR_MODEL", "REVIEWER_MODEL"];

/** `cloud` is named, and no identity. */
export function missingIdentity(cloud: CloudName): string {
  const { title, platform } = clouds[cloud];
  return `MODEL_PROVIDER=${cloud} needs MODEL_IDENTITY: ${platform} where this process is executed there, or file with an identity token that ${title} trusts.`;
}
