// Operators who sign in with an identity at another provider: those that the setting names, by issuer and subject, and nobody else.

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
import type { OperatorIdentity } from "../../../../../src/service/core/operators/operator.ts";
import { makeTestKey, type TestKey } from "../../../../support/account-key.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { WebBrowser } from "../../../../support/web-browser.ts";

/** To where one was going. */
const OTHER_WAY = 'href="/operator/sign-in/with/github?to=%2Foperator%2Faudit"';

describe("operators with an identity at a provider", () => {
  let fixture: ServiceFixture;
  let openid: OpenidProvider;
  let github: GithubAccounts;
  let key: TestKey;

  const configOf = (identities: readonly OperatorIdentity[]) => ({
    backend: "noop",
    operators: { identities, settings: () => [] },
    signIn: {
      // Whoever signs in to an account gets one: an operator is nobody there nevertheless.
      signUp: { kind: "open" },
      providers: [
        {
          ...({ id: "oidc", title: "Example", issuer: openid.url, scope: "openid", roles: null } as const),
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
        },
        {
          ...({ id: "github", title: "GitHub", webUrl: github.url, apiUrl: `${github.url}/api/v3` } as const),
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          jobIssuer: "https://issuer.example",
        },
      ],
    } as const,
  });
  const named = () => [
    { issuer: openid.url, subject: "77" },
    { issuer: github.url, subject: String(github.user.id) },
  ];

  beforeAll(async () => {
    openid = await startOpenidProvider();
    github = await startGithubAccounts();
    fixture = await startFixture({ level: "service", config: configOf([]) });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await fixture.restart({ config: configOf(named()) });
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

  const signInWith = async (provider: string, browser = new WebBrowser()) =>
    await browser.open(`${fixture.url}/operator/sign-in/with/${provider}?to=/operator/audit`);
  const accounts = async () => (await fixture.place.query("select id from accounts")).length;

  it.each(["oidc", "github"])("are signed in, and get no account by it: %s", async (provider) => {
    const before = await accounts();
    const browser = new WebBrowser();
    const { answer, url } = await signInWith(provider, browser);
    expect([answer.status, new URL(url).pathname]).toEqual([200, "/operator/audit"]);
    expect(answer.text).toContain("operator sign in");
    expect(await accounts()).toBe(before);
    const home = await browser.get(`${fixture.url}/usage`);
    expect(home.status).toBe(303);
    expect(home.headers.get("location")).toMatch(/^\/sign-in/);
  });

  it("are listed with the operators, by the setting that names them", async () => {
    const browser = new WebBrowser();
    await signInWith("oidc", browser);
    const { text } = await browser.get(`${fixture.url}/operator/settings`);
    for (const { issuer, subject } of named())
      expect(text).toContain(
        `<tr><td><code>${issuer}#${subject}</code></td><td>identity, in OPERATOR_IDENTITIES</td>`,
      );
  });

  it("are told of a provider that does not answer, and keep their destination", async () => {
    const issuer = "http://127.0.0.1:1";
    const config = configOf([{ issuer, subject: "77" }]);
    const providers = config.signIn.providers.map((one) => (one.id === "oidc" ? { ...one, issuer } : one));
    const away = await startFixture({
      level: "service",
      config: { ...config, signIn: { ...config.signIn, providers } },
    });
    try {
      const { status, text } = await away.call("/operator/sign-in/with/oidc?to=/operator/audit");
      expect(status).toBe(422);
      expect(text).toContain("Example did not answer. Try again later, or sign in another way.");
      expect(text).toContain(OTHER_WAY);
    } finally {
      await away.close();
    }
  });

  it("get a cookie for the operator's pages alone, without a domain", async () => {
    const browser = new WebBrowser();
    const begun = await browser.get(`${fixture.url}/operator/sign-in/with/oidc`);
    const there = await browser.get(begun.headers.get("location") ?? "");
    const signedIn = await browser.get(there.headers.get("location") ?? "");
    expect(signedIn.headers.getSetCookie().find((line) => line.startsWith("operator="))).toMatch(
      /^operator=svc_op_[\w-]+; Max-Age=28800; Path=\/operator; HttpOnly; SameSite=Lax$/,
    );
    expect(signedIn.headers.getSetCookie().some((line) => line.startsWith("session="))).toBe(false);
  });

  it("are nobody else: another subject with the same address is told who it is", async () => {
    openid.claims = { sub: "78", email: "ada@example.com", email_verified: true };
    const { answer } = await signInWith("oidc");
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(`${openid.url}#78`);
    expect(answer.text).toContain("OPERATOR_IDENTITIES");
    expect(answer.text).toContain(OTHER_WAY);
    expect(answer.headers.get("set-cookie") ?? "").not.toMatch(/operator=svc/);
  });

  it("are not who cannot prove it", async () => {
    const { key: own } = openid;
    openid.key = await makeIssuerKey();
    try {
      const { answer } = await signInWith("oidc");
      expect([answer.status, answer.text]).toEqual([
        403,
        expect.stringContaining("did not confirm who you are"),
      ]);
      expect(answer.text).toContain("Sign in as operator");
      expect(answer.text).toContain(OTHER_WAY);
    } finally {
      openid.key = own;
    }
  });

  it("are proved to the browser that began, and for what it began", async () => {
    const browser = new WebBrowser();
    const begun = await browser.get(`${fixture.url}/operator/sign-in/with/oidc`);
    const there = await browser.get(begun.headers.get("location") ?? "");
    const back = there.headers.get("location") ?? "";
    expect((await new WebBrowser().get(back)).status).toBe(403);
    // A sign-in to an account that the same person began is none to these pages.
    const other = new WebBrowser();
    const ofAccount = await other.open(`${fixture.url}/sign-in/with/oidc?to=/operator`);
    expect(new URL(ofAccount.url).pathname).toBe("/operator/sign-in");
    expect((await browser.follow(await browser.get(back), back)).answer.status).toBe(200);
    expect((await browser.get(back)).status).toBe(403);
  });

  it("are out once the setting does not name them any more", async () => {
    const browser = new WebBrowser();
    await signInWith("oidc", browser);
    expect((await browser.get(`${fixture.url}/operator`)).status).toBe(200);
    await fixture.restart({ config: configOf([{ issuer: openid.url, subject: "99" }]) });
    expect((await browser.get(`${fixture.url}/operator`)).status).toBe(303);
    expect((await signInWith("oidc", browser)).answer.status).toBe(403);
    await fixture.restart({ config: configOf([]) });
    expect((await browser.get(`${fixture.url}/operator`)).status).toBe(404);
    expect((await browser.get(`${fixture.url}/operator/sign-in/with/oidc`)).status).toBe(404);
    expect(key.accountId).not.toBe("");
  });
});
