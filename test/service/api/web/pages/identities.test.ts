// Signing in at an OpenID provider and at GitHub, over real sockets: who gets in, who opens an account, what is refused,
// and a repository claimed by what GitHub says of its administrator.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_ID, CLIENT_SECRET } from "../../../../../fakes/identity-provider/code-grant.ts";
import {
  type GithubAccounts,
  startGithubAccounts,
} from "../../../../../fakes/identity-provider/github-accounts.ts";
import {
  type OpenidProvider,
  startOpenidProvider,
} from "../../../../../fakes/identity-provider/openid-provider.ts";
import { makeIssuerKey } from "../../../../../fakes/issuer/key.ts";
import type { SignUp } from "../../../../../src/service/core/sign-in/sign-in-policy.ts";
import { makeTestKey, type TestKey } from "../../../../support/account-key.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { dumpPlace } from "../../../../support/service-dump.ts";
import { WebBrowser } from "../../../../support/web-browser.ts";

describe("a provider of identities that does not answer", () => {
  it.each(["refuses", "ends each connection", "answers with another page"])(
    "is named, and the other ways lead to where one was going: it %s",
    async (what) => {
      const server = createServer((request, response) => {
        if (what === "ends each connection") request.socket.destroy();
        else response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const close = async () => {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      };
      if (what === "refuses") await close();
      const provider = {
        id: "oidc",
        title: "Example",
        issuer: `http://127.0.0.1:${port}`,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        scope: "openid",
        roles: null,
      } as const;
      const signIn = { signUp: { kind: "closed" }, providers: [provider] } as const;
      const fixture = await startFixture({ level: "service", config: { backend: "noop", signIn } });
      try {
        const { status, text } = await fixture.call("/sign-in/with/oidc?to=/settings/credits");
        expect(status).toBe(422);
        expect(text).toContain("Example did not answer. Try again later, or sign in another way.");
        expect(text).toContain('<input type="hidden" name="to" value="/settings/credits">');
        expect(fixture.logText()).toContain("the identity provider did not answer");
      } finally {
        await fixture.close();
        if (what !== "refuses") await close();
      }
    },
  );
});

describe("identities at other providers", () => {
  let fixture: ServiceFixture;
  let openid: OpenidProvider;
  let github: GithubAccounts;
  let key: TestKey;
  let other: TestKey;

  const configOf = (signUp: SignUp) => ({
    backend: "noop",
    signIn: {
      signUp,
      providers: [
        {
          id: "oidc",
          title: "Example",
          issuer: openid.url,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scope: "openid email profile",
          roles: null,
        },
        {
          ...({ id: "github", title: "GitHub", webUrl: github.url, apiUrl: `${github.url}/api/v3` } as const),
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          jobIssuer: fixture?.codeHost.issuer.url ?? "",
        },
      ],
    } as const,
  });

  beforeAll(async () => {
    openid = await startOpenidProvider();
    github = await startGithubAccounts();
    fixture = await startFixture({ level: "service", config: configOf({ kind: "closed" }) });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    other = await makeTestKey(fixture.place);
    await fixture.restart({ config: configOf({ kind: "closed" }) });
  });

  afterEach(() => {
    openid.claims = { sub: "77", email: "ada@example.com", email_verified: true };
    // Failed attempts of one test are not for the next.
    fixture.clock.advance(60_000);
  });

  afterAll(async () => {
    await fixture.close();
    await openid.close();
    await github.close();
  });

  const signInByKey = async ({ secret }: TestKey) => {
    const browser = new WebBrowser();
    const answer = await browser.post(`${fixture.url}/sign-in`, { key: secret, to: "/" });
    expect(answer.status).toBe(303);
    return browser;
  };
  const link = async (owner: TestKey, provider: string) =>
    await (await signInByKey(owner)).open(`${fixture.url}/settings/identities/link/${provider}`);
  const signInWith = async (provider: string, browser = new WebBrowser()) =>
    await browser.open(`${fixture.url}/sign-in/with/${provider}?to=/settings/credits`);
  const accounts = async () => (await fixture.place.query("select id from accounts")).length;

  it.each(["oidc", "github"])(
    "open no account by signing in, unless the operator says so: %s",
    async (id) => {
      const before = await accounts();
      const { answer, url } = await signInWith(id);
      expect([answer.status, new URL(url).pathname]).toEqual([403, `/sign-in/callback/${id}`]);
      expect(answer.text).toContain("No account has this identity");
      // Whoever signs in otherwise still gets to where they were going.
      expect(answer.text).toContain('<input type="hidden" name="to" value="/settings/credits">');
      expect(await accounts()).toBe(before);
    },
  );

  it.each(["oidc", "github"])("are linked by an owner, and sign them in from then on: %s", async (id) => {
    const linked = await link(key, id);
    expect([linked.answer.status, new URL(linked.url).pathname]).toEqual([200, "/settings/identities"]);
    const { answer, url } = await signInWith(id);
    expect([answer.status, new URL(url).pathname]).toEqual([200, "/settings/credits"]);
    const taken = await link(other, id);
    expect(taken.answer.status).toBe(409);
    expect(taken.answer.text).toContain("Another person has this identity");
  });

  it.each([
    ["that was signed with another key", { key: true }],
    ["for another client", { claims: { aud: "somebody-else" } }],
    ["of another issuer", { claims: { iss: "https://evil.example" } }],
    ["with another nonce", { claims: { nonce: "of-another-request" } }],
    ["that has ended", { claims: { exp: 1_000, iat: 900 } }],
  ] as const)("refuse an ID token %s", async (_what, wrong) => {
    const { key: own } = openid;
    if ("key" in wrong) openid.key = await makeIssuerKey();
    if ("claims" in wrong) Object.assign(openid.claims, wrong.claims);
    try {
      const { answer } = await signInWith("oidc");
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("did not confirm who you are");
      expect(answer.text).toContain('name="to" value="/settings/credits"');
    } finally {
      openid.key = own;
    }
  });

  it("are proved to the browser that began, once, and with its state", async () => {
    const browser = new WebBrowser();
    const begun = await browser.get(`${fixture.url}/sign-in/with/oidc`);
    const there = await browser.get(begun.headers.get("location") ?? "");
    const back = there.headers.get("location") ?? "";
    const elsewhere = await new WebBrowser().get(back);
    expect([elsewhere.status, elsewhere.text]).toEqual([
      403,
      expect.stringContaining("not begun in this browser"),
    ]);
    const changed = new URL(back);
    changed.searchParams.set("state", "another");
    expect((await browser.get(changed.href)).status).toBe(403);
    expect((await browser.get(back)).text).toContain("not begun in this browser");
  });

  it("lead to no account by an address alone, and open one for a verified address of a domain", async () => {
    await fixture.restart({ config: configOf({ kind: "domains", domains: ["example.com"] }) });
    const before = await accounts();
    openid.claims = { sub: "78", email: "eve@evil.example", email_verified: true };
    expect((await signInWith("oidc")).answer.status).toBe(403);
    openid.claims = { sub: "79", email: "eve@example.com", email_verified: false };
    expect((await signInWith("oidc")).answer.status).toBe(403);
    github.user = { id: 12, login: "eve" };
    expect((await signInWith("github")).answer.status).toBe(403);
    expect(await accounts()).toBe(before);
    // The address is another identity's: its account is not theirs.
    openid.claims = { sub: "80", email: "ada@example.com", email_verified: true };
    expect((await signInWith("oidc")).answer.status).toBe(200);
    expect((await signInWith("oidc")).answer.status).toBe(200);
    expect(await accounts()).toBe(before + 1);
    github.user = { id: 4711, login: "ada" };
  });

  const claimUrlOf = async () => {
    const claims = fixture.freshRepository({ repository_visibility: "private" });
    const answer = await fixture.exchange(fixture.mint(claims));
    const { claim_url: url } = answer.body as { claim_url: string };
    return { id: String(claims.repository_id), url, token: url.split("/").at(-1) };
  };

  it("claim a repository that GitHub says they administer, without a second job", async () => {
    const { id, token, url } = await claimUrlOf();
    const page = `${fixture.url}/sign-in/claim/${token}`;
    expect((await new WebBrowser().get(url)).text).toContain(`/sign-in/claim/${token}`);
    const browser = await signInByKey(key);
    const shown = await browser.get(page);
    expect(shown.headers.get("content-security-policy")).toContain(`form-action 'self' ${github.url};`);
    for (const repositories of [{}, { [id]: false }]) {
      github.repositories = repositories;
      const refused = await browser.follow(await browser.post(page), page);
      expect(refused.answer.status).toBe(403);
      expect(refused.answer.text).toContain("does not say that");
    }
    github.repositories = { [id]: true };
    const done = await browser.follow(await browser.post(page), page);
    expect([done.answer.status, done.answer.text]).toEqual([200, expect.stringContaining("is yours")]);
    const [agent] = await fixture.place.query(`select account_id from agents where repository_id = '${id}'`);
    expect(agent).toEqual({ account_id: key.accountId });
    expect(github.requests.at(-1)).toBe(`/api/v3/repositories/${id}`);
  });

  it("claim nothing of another code host, whose ids are others", async () => {
    const { id, token } = await claimUrlOf();
    github.repositories = { [id]: true };
    await fixture.place.query("select 1");
    const config = configOf({ kind: "closed" });
    const providers = config.signIn.providers.map((one) =>
      one.id === "github" ? { ...one, jobIssuer: "https://token.actions.githubusercontent.com" } : one,
    );
    await fixture.restart({ config: { ...config, signIn: { ...config.signIn, providers } } });
    const browser = await signInByKey(key);
    expect((await browser.get(`${fixture.url}/sign-in/claim/${token}`)).status).toBe(404);
    expect((await browser.post(`${fixture.url}/sign-in/claim/${token}`)).status).toBe(404);
  });

  it("leave no token of a provider anywhere, and an audit entry of each step", async () => {
    const rows = await fixture.place.query("select action, outcome, method from audit_entries order by id");
    expect(rows).toContainEqual({ action: "identity_linked", outcome: "ok", method: "github" });
    expect(rows).toContainEqual({ action: "sign_in", outcome: "ok", method: "oidc" });
    expect(rows).toContainEqual({ action: "sign_in", outcome: "identity_refused", method: "oidc" });
    expect(rows).toContainEqual({ action: "sign_in", outcome: "sign_up_closed", method: "github" });
    const kept = (await dumpPlace(fixture.place)) + fixture.logText();
    expect(kept).not.toContain(github.accessToken);
    expect(kept).not.toContain(CLIENT_SECRET);
  });
});
