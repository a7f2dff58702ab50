// Where an application's answer may go: asked of the rule, and at every place that takes an address.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashSecret } from "../../../../src/base/secret-token.ts";
import { isPermittedRedirect } from "../../../../src/service/api/oauth/redirect-uri.ts";
import { authorizePath, makeProof, type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

const permitted = [
  "https://app.example.com/callback",
  "https://app.example.com:8443/callback?x=1&y=%20",
  "https://xn--cursr-4ve.example/",
  "https://93.184.216.34/callback",
  "http://127.0.0.1/callback",
  "http://localhost:51234/callback",
  "http://[::1]:5555/callback",
  "com.example.app:/callback",
  "com.example.app://callback/path",
  "cursor://anysphere.cursor-mcp/oauth/callback",
];

const refused = [
  "http://app.example.com/callback",
  "http://127.0.0.1.evil.example/",
  "https://user@app.example.com/",
  "https://user:secret@app.example.com/",
  "https://@app.example.com/",
  "https://127.0.0.1@evil.example/",
  "http://127.0.0.1:1@evil.example/",
  "http://user@127.0.0.1/",
  "com.example.app://user@host/",
  "https://*.example.com/",
  "https://app.example.com/*",
  "https://app.example.com/;script-src",
  "https://app.example.com;script-src/",
  "https://app.example.com,evil.example/",
  "https://app.example.com'/",
  "https://app.example.com/#fragment",
  "https://app.example.com\\@evil.example/",
  "https://app.example.com/ callback",
  "https://app.example.com/\ncallback",
  "https:app.example.com/callback",
  "https:/app.example.com/callback",
  "https:///app.example.com/callback",
  "https://cursör.example/",
  "view-source:https://app.example.com/",
  "filesystem:https://app.example.com/temporary/x",
  "ws://app.example.com/",
  "wss://app.example.com/",
  "ftp://app.example.com/",
  "javascript:alert(1)",
  "data:text/html,x",
  "blob:https://app.example.com/x",
  "file:///etc/passwd",
  "about:blank",
  "intent://scan/",
  "myapp://callback",
  "cursor://evil/oauth/callback",
  ".com:/callback",
  "com.:/callback",
  "/callback",
  "",
];

describe("an address for an application's answer", () => {
  it.each(permitted)("is permitted: %s", (uri) => expect(isPermittedRedirect(uri)).toBe(true));
  it.each(refused)("is refused: %j", (uri) => expect(isPermittedRedirect(uri)).toBe(false));
});

describe("the authorization server", () => {
  let oauth: OAuthFixture;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
  });

  afterAll(() => oauth.close());

  const register = async (...redirectUris: readonly string[]) => {
    oauth.fixture.clock.advance(60_000);
    return await oauth.ask("/oauth/register", { method: "POST", json: { redirect_uris: redirectUris } });
  };

  it("registers every address that is permitted, and says which one is not", async () => {
    expect((await register(...permitted)).status).toBe(201);
    for (const uri of refused) {
      const answer = await register("https://app.example.com/callback", uri);
      expect([uri, answer.status, answer.body]).toMatchObject([
        uri,
        400,
        {
          error: "invalid_redirect_uri",
          error_description: expect.stringMatching(/^redirect_uris\[1\] is not permitted: .*RFC 8252/),
        },
      ]);
    }
  });

  it("lets no address that was registered before into a page's policy", async () => {
    const uri = "https://app.example.com;script-src/";
    const payload = {
      client_id: "earlier",
      redirect_uris: [uri],
      application_type: "native",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    await oauth.fixture.core.store.transact((tx) =>
      tx.oauthArtifacts.put({
        kind: "Client",
        idHash: hashSecret("earlier"),
        grantId: null,
        uid: null,
        userCodeHash: null,
        payload: JSON.stringify(payload),
        consumedAt: null,
        successor: null,
        expiresAt: oauth.fixture.clock.now() + 60_000,
      }),
    );
    const browser = await oauth.browser();
    const asked = authorizePath({
      client_id: "earlier",
      redirect_uri: uri,
      code_challenge: makeProof().challenge,
    });
    const page = await browser.follow(await browser.get(asked));
    expect(page.status).toBe(400);
    expect(page.headers.get("content-security-policy")).not.toContain("example.com");
  });
});
