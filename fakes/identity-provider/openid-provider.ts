// An OpenID provider on loopback, with real keys: one person, who is signed in and agrees to everything.

import { sendJson, startLoopbackServer } from "../code-host/server.ts";
import { type IssuerKey, makeIssuerKey, signCompact } from "../issuer/key.ts";
import { CLIENT_ID, CodeGrant } from "./code-grant.ts";

export interface OpenidProvider {
  readonly url: string;
  /** Claims of its ID tokens, beside those of every one: who its person is, or what is wrong with them. */
  claims: Record<string, unknown>;
  /** What signs them. Another key than the published one makes them false. */
  key: IssuerKey;
  close(): Promise<void>;
}

export async function startOpenidProvider(): Promise<OpenidProvider> {
  const published = await makeIssuerKey();
  const grant = new CodeGrant();
  const server = await startLoopbackServer(async (request, response) => {
    const url = new URL(request.url ?? "/", server.url);
    switch (`${request.method} ${url.pathname}`) {
      case "GET /.well-known/openid-configuration":
        return sendJson(response, 200, discovery(server.url));
      case "GET /jwks":
        return sendJson(response, 200, { keys: [published.jwk] });
      case "GET /authorize":
        return grant.authorize(url, response);
      case "POST /token": {
        const authorized = await grant.redeem(request);
        if (authorized === null) return sendJson(response, 400, { error: "invalid_grant" });
        const now = Math.floor(Date.now() / 1000);
        const payload = {
          iss: server.url,
          aud: CLIENT_ID,
          iat: now,
          exp: now + 300,
          nonce: authorized.nonce,
          ...provider.claims,
        };
        const header = { alg: provider.key.alg, kid: published.kid };
        const idToken = signCompact({ header, payload, key: provider.key.privateKey });
        return sendJson(response, 200, {
          access_token: "of-no-use",
          token_type: "Bearer",
          id_token: idToken,
        });
      }
      default:
        return sendJson(response, 404, { message: "Not Found" });
    }
  });
  const provider: OpenidProvider = {
    url: server.url,
    claims: { sub: "77", email: "ada@example.com", email_verified: true },
    key: published,
    close: () => server.close(),
  };
  return provider;
}

function discovery(url: string): Record<string, unknown> {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
  };
}
