// The OAuth 2.1 authorization server: the features of the library that are on, and their binding to this service. The only
// importer of the library's server.
// Why: docs/decisions/064-the-authorization-server.md

import Provider, {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from "oidc-provider";
import { makeSecretToken } from "../../../base/secret-token.ts";
import { apiScopes, KEY_MINT, OFFLINE_ACCESS } from "../../../contract/oauth/scopes.ts";
import type { Core } from "../../core/core.ts";
import { isOwnResource, resourceOf } from "../../core/oauth/resource.ts";
import { serviceSecret } from "../../core/oauth/service-secret.ts";
import { adapterOf } from "./artifact-adapter.ts";
import { builtInClient, COMMAND_CLIENT } from "./built-in-client.ts";
import { type FetchDocument, reportFailures } from "./client-document.ts";
import { grantTypes } from "./grant-types.ts";
import { oauthPaths } from "./paths.ts";
import { isPermittedRedirect } from "./redirect-uri.ts";
import { bindRotation } from "./refresh-tokens.ts";

export const ACCESS_TOKEN_PREFIX = "svc_at_";
const REFRESH_TOKEN_PREFIX = "svc_rt_";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ACCESS_TOKEN_SECONDS = HOUR;

/** The server by the name that a request came by. */
export type OpenServer = (context: {
  readonly req: { header(name: string): string | undefined };
}) => Promise<Provider>;

type ServerParts = {
  readonly core: Core;
  /** One of the service's names. What is issued by one is good at all: what is kept is the same. */
  readonly issuer: string;
  readonly fetchDocument: FetchDocument;
  /** Whether another document of a client may be fetched now, for this address. */
  readonly mayFetch: (address: string) => boolean;
};

/** Its key and the key of its cookies are in the store: every node has the same. */
export async function openAuthorizationServer(parts: ServerParts): Promise<Provider> {
  const { core, issuer } = parts;
  const provider = new Provider(issuer, configurationOf(parts, await keysOf(core)));
  // The request that it gets is made by this service: its address is the service's own.
  provider.proxy = true;
  nameTokens(provider.AccessToken, () => secretOf(core, ACCESS_TOKEN_PREFIX));
  nameTokens(provider.RefreshToken, () => secretOf(core, REFRESH_TOKEN_PREFIX));
  bindRotation(core, provider.RefreshToken);
  provider.on("server_error", (_context, cause) => core.log.error({ err: cause }, "OAuth: internal error"));
  return provider;
}

/** The library's types leave the method out that makes a token's text, and says of which format it is. */
function nameTokens(model: { readonly prototype: object }, makeText: () => string): void {
  function generateTokenId(this: { format?: string }): string {
    this.format = "opaque";
    return makeText();
  }
  Object.assign(model.prototype, { generateTokenId });
}

function secretOf({ random }: Core, prefix: string): string {
  return makeSecretToken(prefix, random.bytes(32)).text;
}

type Keys = { readonly signing: object; readonly cookies: string };

async function keysOf(core: Core): Promise<Keys> {
  const signing = await serviceSecret(core, { name: "oauth_signing_key", make: makeSigningKey });
  const make = async () => Buffer.from(core.random.bytes(32)).toString("base64url");
  return {
    signing: JSON.parse(signing),
    cookies: await serviceSecret(core, { name: "oauth_cookie_key", make }),
  };
}

/** No ID token is ever signed, but the library wants a key, and would take one that everybody knows. */
async function makeSigningKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  return JSON.stringify({ kty, crv, x, y, d, alg: "ES256", use: "sig", kid: "1" });
}

function configurationOf({ core, fetchDocument, mayFetch }: ServerParts, keys: Keys): Configuration {
  const { baseUrl, registersClients, readsClientDocuments } = core.policy;
  const prefix = baseUrl.startsWith("https:") ? "__Host-" : "";
  const cookie = { httpOnly: true, sameSite: "lax", signed: true } as const;
  return {
    adapter: (kind) => adapterOf(core, kind),
    clients: [builtInClient],
    clientAuthMethods: ["none"],
    clientDefaults: {
      // Programs on people's machines, also where a client does not say so: the port of a loopback redirect is free.
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: [grantTypes.code, grantTypes.refresh],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    clientBasedCORS: () => true,
    cookies: {
      keys: [keys.cookies],
      names: {
        session: `${prefix}oauth_session`,
        interaction: `${prefix}oauth_interaction`,
        resume: `${prefix}oauth_resume`,
      },
      short: cookie,
      long: cookie,
    },
    jwks: { keys: [keys.signing] },
    responseTypes: ["code"],
    scopes: [OFFLINE_ACCESS],
    claims: {},
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
      jwks: oauthPaths.jwks,
      device_authorization: oauthPaths.deviceAuthorization,
      code_verification: oauthPaths.device,
    },
    pkce: { required: () => true },
    // A code that is shown twice ends all that was issued with it, and so does a token that is shown after its successor.
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed(grantTypes.refresh),
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: MINUTE,
      RefreshToken: 30 * DAY,
      Interaction: 10 * MINUTE,
      Session: 10 * MINUTE,
      DeviceCode: 10 * MINUTE,
      Grant: 90 * DAY,
      IdToken: HOUR,
    },
    fetch: reportFailures(fetchDocument, core.log) as unknown as typeof fetch,
    findAccount: async (_context, accountId) => {
      const account = await core.store.committed.accounts.find(accountId);
      return account === null ? undefined : { accountId, claims: async () => ({ sub: accountId }) };
    },
    // Nothing is granted but by the page, each time: signing out of the pages leaves no other way in.
    loadExistingGrant: async (context) => {
      const grantId = context.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await context.oidc.provider.Grant.find(grantId);
    },
    interactions: {
      url: (_context, interaction) => `${oauthPaths.consent}/${interaction.uid}`,
      policy: alwaysAsk(),
    },
    // Drawn by the page of this face, without a word of the request.
    renderError: (context: KoaContextWithOIDC, out) => {
      context.type = "json";
      context.body = JSON.stringify({ error: out.error });
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      introspection: { enabled: false },
      dPoP: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
      },
      registration: {
        enabled: registersClients,
        initialAccessToken: false,
        issueRegistrationAccessToken: false,
      },
      deviceFlow: { enabled: true, charset: "base-20", mask: "****-****", deviceInfo: () => ({}) },
      clientIdMetadataDocument: {
        enabled: readsClientDocuments,
        ack: "draft-02",
        allowFetch: async (context) => mayFetch(context.ip),
        allowClient: async (_context, { redirectUris = [] }) => redirectUris.every(isPermittedRedirect),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resourceOf(baseUrl),
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context, resource, client) => {
          if (!isOwnResource(baseUrl, resource)) throw new errors.InvalidTarget();
          const scopes = client.clientId === COMMAND_CLIENT ? [KEY_MINT] : apiScopes;
          return { scope: scopes.join(" "), audience: resourceOf(baseUrl), accessTokenFormat: "opaque" };
        },
      },
    },
  };
}

function alwaysAsk(): interactionPolicy.DefaultPolicy {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const consent = policy.get("consent");
  consent?.checks.clear();
  consent?.checks.add(
    new Check("agreement_missing", "the account's owner has to agree", "interaction_required", (context) =>
      context.oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
    ),
  );
  return policy;
}
