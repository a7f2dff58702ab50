// A run that brings its own access to a model: the field of a submission, and its renewal while the run is in flight. Pure.
// Why: docs/decisions/043-the-repositorys-own-model.md

import * as z from "zod/mini";
import { field, strictObject } from "../field.ts";
import type { Identifiers } from "../models/clouds.ts";
import { findAddressFault } from "../models/federations.ts";
import { type FederatingProvider, federatingProviders } from "../models/providers.ts";

const MAX_MODEL_CHARS = 200;
const MAX_ACCESS_TOKEN_CHARS = 16_384;
const MAX_ADDRESS_CHARS = 100;

/** As a header can carry it. */
const accessToken = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(MAX_ACCESS_TOKEN_CHARS),
    z.regex(/^[\x21-\x7e]+$/, "must be one line of visible ASCII characters"),
  );

/** The fields of a token that a job brings. */
export const accessTokenGrant = {
  access_token: field(accessToken, "The access token. Never the ID token."),
  expires_at: field(z.iso.datetime(), "When it ends. Renew it before."),
};

const MODEL_FORM = "must be the name of a model, without spaces";

/** A part of an address. Its form is the provider's: `namesItsAddress` looks at it. */
const part = z.optional(z.string().check(z.maxLength(MAX_ADDRESS_CHARS)));

/** Of a provider whose API has an address for each of its customers. */
const addressSchema = strictObject({
  resource: field(part, "Of foundry: the resource, as in its host name."),
  region: field(part, "Of bedrock: the region."),
  endpoint: field(part, "Of bedrock: `runtime`, the default, or `mantle`."),
  project_id: field(part, "Of vertex: the project."),
  location: field(part, "Of vertex: the location. Left out: `global`."),
});

/** The parts that are given. */
export function identifiersIn(address: z.infer<typeof addressSchema>): Identifiers {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== undefined));
}

type Addressed = {
  readonly provider: FederatingProvider;
  readonly address?: z.infer<typeof addressSchema> | undefined;
};

/** The address is whole, and the provider's. */
function namesItsAddress({ value, issues }: z.core.ParsePayload<Addressed>): void {
  const fault = findAddressFault(value.provider, value.address ?? {});
  if (fault !== null) issues.push({ code: "custom", input: value, path: ["address"], message: fault });
}

/**
 * The access that a CI job brings: the run asks this model at the provider's own address, and the repository's account
 * there pays for its tokens.
 */
export const modelAccessSchema = strictObject({
  provider: field(
    z.enum(federatingProviders),
    "The provider: it decides the address and the protocol of the requests.",
  ),
  model: field(
    z.string().check(
      z.minLength(1),
      z.maxLength(MAX_MODEL_CHARS),
      z.regex(/^\S+$/, MODEL_FORM),
      // No pattern: `\p{…}` is read by few of the programs that read the document.
      z.refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), MODEL_FORM),
    ),
    "The model, as the provider calls it. It wins over the agent's own.",
  ),
  address: field(
    z.optional(addressSchema),
    "Where the API is, of a provider that has one for each customer (foundry, bedrock, vertex). Left out for the others.",
  ),
  ...accessTokenGrant,
}).check(namesItsAddress);

export type ModelAccess = z.infer<typeof modelAccessSchema>;

export const renewModelAccessRequestSchema = strictObject(accessTokenGrant);
export type RenewModelAccessRequest = z.infer<typeof renewModelAccessRequestSchema>;
