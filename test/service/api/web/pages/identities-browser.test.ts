// Identities and claims in a real browser, whose content policy holds for the way to GitHub and back.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_ID, CLIENT_SECRET } from "../../../../../fakes/identity-provider/code-grant.ts";
import {
  type GithubAccounts,
  startGithubAccounts,
} from "../../../../../fakes/identity-provider/github-accounts.ts";
import { makeTestKey, type TestKey } from "../../../../support/account-key.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";

describe("identities in a browser", { tags: ["chromium"] }, () => {
  let fixture: ServiceFixture;
  let github: GithubAccounts;
  let browser: TestBrowser;
  let key: TestKey;

  beforeAll(async () => {
    github = await startGithubAccounts();
    fixture = await startFixture({ level: "service", config: { backend: "noop" } });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    const provider = {
      ...({ id: "github", title: "GitHub", webUrl: github.url, apiUrl: `${github.url}/api/v3` } as const),
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      jobIssuer: fixture.codeHost.issuer.url,
    };
    const signIn = { signUp: { kind: "closed" }, providers: [provider] } as const;
    await fixture.restart({ config: { backend: "noop", signIn } });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await fixture.close();
    await github.close();
  });

  const openSignedIn = async (path: string, look: Parameters<TestBrowser["openPage"]>[0] = {}) => {
    const page = await browser.openPage(look);
    await page.goto(`${fixture.url}/sign-in?to=${path}`);
    await expectAccessible(page);
    await page.getByLabel("A key of your account").fill(key.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(({ pathname }) => pathname === path);
    return page;
  };
  const claimPath = async () => {
    const claims = fixture.freshRepository({ repository_visibility: "private" });
    const { body } = await fixture.exchange(fixture.mint(claims));
    const token = (body as { claim_url: string }).claim_url.split("/").at(-1);
    return { id: String(claims.repository_id), path: `/sign-in/claim/${token}` };
  };

  it.each(looks)("are for everybody, in $colorScheme at $width", async (look) => {
    const page = await openSignedIn("/settings/identities", look);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Link GitHub" }).click();
    await page.getByRole("button", { name: "Remove ada" }).waitFor();
    await expectAccessible(page);
    const { path } = await claimPath();
    await page.goto(fixture.url + path);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Claim with GitHub" }).click();
    await page.getByRole("alert").filter({ hasText: "does not say that" }).waitFor();
    await expectAccessible(page);
  });

  it("sign in, and claim what their person administers, with nothing that the content policy refuses", async () => {
    const page = await browser.openPage();
    await page.goto(`${fixture.url}/sign-in?to=/settings/credits`);
    await page.getByRole("link", { name: "Sign in with GitHub" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/settings/credits");
    const { id, path } = await claimPath();
    github.repositories = { [id]: true };
    await page.goto(fixture.url + path);
    await page.getByRole("button", { name: "Claim with GitHub" }).click();
    await page.getByRole("heading", { name: "is yours" }).waitFor();
    await expectAccessible(page);
    expect(browser.faults).toEqual([]);
  });

  it("are not linked by a link on another page", async () => {
    const page = await openSignedIn("/settings/keys");
    await page.goto(`${fixture.url}/settings/identities`);
    const elsewhere = `data:text/html,<a href="${fixture.url}/settings/identities/link/github">go</a>`;
    await page.goto(elsewhere);
    await page.getByText("go").click();
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  });
});
