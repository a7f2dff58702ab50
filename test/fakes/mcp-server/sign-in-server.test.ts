// The authorization server in which a person signs in, driven by clients of others: openid-client, and the protocol's own SDK. What they do
// right it takes, and what a client may do wrong it refuses.

import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import * as openid from "openid-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SignInServer } from "../../../fakes/mcp-server/sign-in-server.ts";
import { type OpenedPair, openPair } from "../../support/mcp/guarded-server.ts";

const REDIRECT = "http://localhost:4711/callback";

describe("the server in which a person signs in", () => {
  let pair: OpenedPair<SignInServer>;
  let server: SignInServer;

  beforeEach(async () => {
    pair = await openPair((origins) => new SignInServer({ ...origins }));
    server = pair.made;
  });
  afterEach(() => pair.close());

  const registered = async () =>
    await openid.dynamicClientRegistration(
      new URL(pair.issuer),
      {
        redirect_uris: [REDIRECT],
        application_type: "native",
        token_endpoint_auth_method: "none",
      },
      openid.None(),
      { algorithm: "oauth2" },
    );
  const goThere = async (url: URL) => {
    const answer = await fetch(url, { redirect: "manual" });
    return new URL(answer.headers.get("location") ?? "about:blank");
  };
  const asked = async (configuration: openid.Configuration, more: Readonly<Record<string, string>> = {}) => {
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: REDIRECT,
      scope: "tools",
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: pair.url,
      ...more,
    });
    return { back: await goThere(url), verifier, state };
  };
  const refused = async (work: Promise<unknown>) =>
    await work.then(
      () => "taken",
      (cause: { error?: string }) => cause.error ?? String(cause),
    );

  it("takes openid-client: registered, a code, tokens that rotate, and their end", async () => {
    const configuration = await registered();
    const { back, verifier, state } = await asked(configuration);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const first = await openid.authorizationCodeGrant(configuration, back, checks, { resource: pair.url });
    expect(first).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "tools" });
    const again = await openid.refreshTokenGrant(configuration, first.refresh_token ?? "", {
      resource: pair.url,
    });
    expect(again.refresh_token).not.toBe(first.refresh_token);
    expect(server.living).toBe(1);
    // Whoever uses a token that was used is a thief: all of the sign-in ends.
    const used = openid.refreshTokenGrant(configuration, first.refresh_token ?? "", { resource: pair.url });
    expect(await refused(used)).toBe("invalid_grant");
    const newest = openid.refreshTokenGrant(configuration, again.refresh_token ?? "", { resource: pair.url });
    expect(await refused(newest)).toBe("invalid_grant");
    expect(server.living).toBe(0);
    const other = await asked(configuration);
    const more = { pkceCodeVerifier: other.verifier, expectedState: other.state };
    const tokens = await openid.authorizationCodeGrant(configuration, other.back, more, {
      resource: pair.url,
    });
    await openid.tokenRevocation(configuration, tokens.refresh_token ?? "");
    expect(server.living).toBe(0);
  });

  it("refuses what a real one would", async () => {
    const configuration = await registered();
    for (const [more, error] of [
      [{ redirect_uri: `${REDIRECT}/more` }, "about:blank"],
      [{ resource: "https://other.example" }, "invalid_target"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ scope: "everything" }, "invalid_scope"],
    ] as const) {
      const { back } = await asked(configuration, more);
      expect(back.searchParams.get("error") ?? back.href).toBe(error);
    }
    const grant = async (change: { verifier?: string; resource?: string }) => {
      const { back, verifier, state } = await asked(configuration);
      const checks = { pkceCodeVerifier: change.verifier ?? verifier, expectedState: state };
      const work = openid.authorizationCodeGrant(configuration, back, checks, {
        resource: change.resource ?? pair.url,
      });
      return {
        answer: await refused(work),
        again: () => openid.authorizationCodeGrant(configuration, back, checks, { resource: pair.url }),
      };
    };
    expect((await grant({ verifier: openid.randomPKCECodeVerifier() })).answer).toBe("invalid_grant");
    expect((await grant({ resource: "https://other.example" })).answer).toBe("invalid_target");
    const { answer, again } = await grant({});
    expect([answer, server.living]).toEqual(["taken", 1]);
    expect([await refused(again()), server.living]).toEqual(["invalid_grant", 0]);
    const wrong = await fetch(`${pair.issuer}/register`, {
      method: "POST",
      body: JSON.stringify({
        redirect_uris: ["http://app.example"],
        application_type: "web",
        token_endpoint_auth_method: "none",
      }),
    });
    expect([wrong.status, await wrong.json()]).toEqual([400, { error: "invalid_redirect_uri" }]);
    expect((await fetch(pair.url, { method: "POST" })).status).toBe(401);
  });

  it("takes the SDK's own provider, from the first refusal to a call", async () => {
    let tokens: OAuthTokens | undefined;
    let verifier = "";
    let url: URL | null = null;
    let information: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
    const provider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: {
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
      },
      clientInformation: () => information,
      saveClientInformation: (given) => {
        information = given;
      },
      tokens: () => tokens,
      saveTokens: (given) => {
        tokens = given;
      },
      redirectToAuthorization: (given) => {
        url = given;
      },
      saveCodeVerifier: (given) => {
        verifier = given;
      },
      codeVerifier: () => verifier,
    };
    const open = () => new StreamableHTTPClientTransport(new URL(pair.url), { authProvider: provider });
    const first = open();
    const client = new Client({ name: "t", version: "1" });
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    const back = await goThere(url ?? new URL("about:blank"));
    await first.finishAuth(back.searchParams);
    const again = new Client({ name: "t", version: "1" });
    await again.connect(open());
    const { tools } = await again.listTools();
    expect(tools.map(({ name }) => name)).toContain("lookup");
    // It is refused in mid-session: the SDK refreshes.
    server.forgetAccess();
    expect((await again.listTools()).tools.length).toBe(tools.length);
    expect(server.asked.map(({ form, error }) => [form.grant_type, error])).toEqual([
      ["authorization_code", null],
      ["refresh_token", null],
    ]);
    await again.close();
  });
});
