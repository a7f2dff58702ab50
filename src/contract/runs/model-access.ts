// A run that brings its own access to a model: the field of a submission, and its renewal while the run is in flight. Pure.
// Why: docs/decisions/043-the-repositorys-own-model.md

import * as z from "zod/mini";
import { field, strictObject } from "../field.ts";
import { federatingProviders } from "../models/providers.ts";

const MAX_MODEL_CHARS = 200;
const MAX_ACCESS_TOKEN_CHARS = 16_384;

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
  ...accessTokenGrant,
});

export type ModelAccess = z.infer<typeof modelAccessSchema>;

export const renewModelAccessRequestSchema = strictObject(accessTokenGrant);
export type RenewModelAccessRequest = z.infer<typeof renewModelAccessRequestSchema>;
