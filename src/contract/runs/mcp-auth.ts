// Authentication of a run at an MCP server that asks for OAuth: the grades that people write in a server's definition, and the access
// tokens that a CI job brings to a service. Pure.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import * as z from "zod/mini";
import { field, strictObject } from "../field.ts";
import { MAX_MCP_SERVERS, MCP_SERVER_NAME_FORM, mcpServerNamePattern } from "./mcp-server-name.ts";
import { accessTokenGrant } from "./model-access.ts";

const MAX_ISSUER_CHARS = 2048;
const MAX_CLIENT_ID_CHARS = 2048;
const MAX_SCOPE_CHARS = 1000;

/** RFC 6749 §3.3, words with one space between. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const clientIdPattern = /^[\x21-\x7e]+$/;
const variablePattern = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Those by which a private key signs; the first is the default. */
export const assertionAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
] as const;

export const authTypes = ["client_credentials", "private_key_jwt", "job"] as const;

const ISSUER_FORM =
  "must be the issuer of an authorization server: an https:// URL without a query, such as https://auth.example.com";

/** RFC 8414 §2. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    url.protocol === "https:" &&
    url.hostname !== "" &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(text)
  );
}

const issuer = z.string(ISSUER_FORM).check(
  z.maxLength(MAX_ISSUER_CHARS, `must have at most ${MAX_ISSUER_CHARS} characters`),
  z.refine((text) => isIssuer(text), ISSUER_FORM),
);
const clientId = z
  .string("must be the id that the authorization server knows the client by")
  .check(
    z.maxLength(MAX_CLIENT_ID_CHARS, `must have at most ${MAX_CLIENT_ID_CHARS} characters`),
    z.regex(clientIdPattern, "must be visible ASCII characters without spaces"),
  );
const scope = z.optional(
  z
    .string("must be scopes with a space between")
    .check(
      z.maxLength(MAX_SCOPE_CHARS, `must have at most ${MAX_SCOPE_CHARS} characters`),
      z.regex(scopePattern, "must be scopes with one space between"),
    ),
);
/** A secret never stands in a definition itself. */
const reference = z
  .string("must be a variable in braces, such as ${NAME}: it is a secret")
  .check(z.regex(variablePattern, "must be a variable in braces, such as ${NAME}: it is a secret"));

const common = {
  issuer: field(issuer, "The authorization server that alone is shown the credential."),
  scope: field(scope, "Left out: what the server asks for."),
};
const registered = { client_id: field(clientId, "The client that is registered there."), ...common };

export const serverAuthSchema = z.discriminatedUnion(
  "type",
  [
    strictObject({
      type: field(z.literal("client_credentials"), "By a secret."),
      client_secret: field(reference, "The variable that holds it."),
      ...registered,
    }),
    strictObject({
      type: field(z.literal("private_key_jwt"), "By a key that stays here."),
      private_key: field(reference, "The variable that holds it: PKCS #8, in PEM."),
      algorithm: field(
        z.optional(z.enum(assertionAlgorithms, `must be one of ${assertionAlgorithms.join(", ")}`)),
        "How it signs.",
      ),
      ...registered,
    }),
    strictObject({
      type: field(z.literal("job"), "By the CI job's identity."),
      ...common,
      client_id: field(z.optional(clientId), "Where the authorization server wants one."),
      issuer: field(z.optional(issuer), "Left out: the one that the server names."),
    }),
  ],
  `must be an object with "type", one of ${authTypes.join(", ")}`,
);

export type ServerAuth = z.infer<typeof serverAuthSchema>;

/** The wire's: what the job does by itself is not sent. */
export const sentAuthSchema = strictObject({
  type: field(
    z.literal("job", 'must be "job": a service takes servers without secrets'),
    "The CI job proves itself to the server's authorization server, and brings the access token in `mcp_access`.",
  ),
});

export const serverAccessSchema = strictObject(accessTokenGrant);
export type ServerAccess = z.infer<typeof serverAccessSchema>;

/** By the names of servers. */
export const serverAccessesSchema = z
  .record(z.string().check(z.regex(mcpServerNamePattern)), serverAccessSchema, {
    error: ({ code }) => (code === "invalid_key" ? `must be ${MCP_SERVER_NAME_FORM}` : undefined),
  })
  .check(
    z.refine(
      (all) => Object.keys(all).length <= MAX_MCP_SERVERS,
      `must have at most ${MAX_MCP_SERVERS} servers`,
    ),
  );
export type ServerAccesses = z.infer<typeof serverAccessesSchema>;

export const renewServerAccessRequestSchema = strictObject({
  mcp_access: field(serverAccessesSchema, "Newer access tokens, by the names of servers."),
});
export type RenewServerAccessRequest = z.infer<typeof renewServerAccessRequestSchema>;
