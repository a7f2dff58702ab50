// Signing in and the settings in a real browser: both color schemes, a telephone's width, the keyboard alone.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, operateOn, type TestKey } from "../../../../support/account-key.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";

describe("signing in with a browser", { tags: ["chromium"] }, () => {
  let fixture: ServiceFixture;
  let browser: TestBrowser;
  let key: TestKey;
  let links: string[];

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { backend: "noop" } });
    await fixture.stop();
    key = await makeTestKey(fixture.place, { name: "laptop" });
    links = await operateOn(fixture.place, async (operator) => {
      const made = [];
      for (let one = 0; one < 2; one += 1) made.push(await operator.makeSignInLink(key.accountId));
      return made.map((link) => `/sign-in/link/${link?.token}`);
    });
    await fixture.restart();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await fixture.close();
  });

  const open = async (page: Page, path: string) => await page.goto(fixture.url + path);
  const at = (page: Page, path: string) => page.waitForURL(({ pathname }) => pathname === path);
  const signIn = async (page: Page, to = "/settings/keys") => {
    await open(page, `/sign-in?to=${to}`);
    await page.getByLabel("A key of your account").fill(key.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await at(page, to);
  };

  it.each(looks)("is for everybody, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    for (const path of ["/sign-in", links[0] ?? "", "/sign-in/link/nothing", "/sign-in/nowhere"]) {
      await open(page, path);
      await expectAccessible(page);
    }
    await open(page, "/sign-in");
    await page.getByLabel("A key of your account").fill("svc_sk_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("no key of this service");
    await expectAccessible(page);
    await signIn(page);
    for (const tab of ["keys", "sessions", "credits"]) {
      await open(page, `/settings/${tab}`);
      expect(await page.locator("[aria-current=page]").getAttribute("href")).toBe(`/settings/${tab}`);
      await expectAccessible(page);
    }
    await open(page, "/sign-in?again=1");
    await expectAccessible(page);
  });

  it("is done with the keyboard alone: sign in, make a key, revoke it, sign out", async () => {
    const page = await browser.openPage();
    const tabTo = async (name: string) => {
      for (let steps = 0; steps < 40; steps += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate<string>(
          "document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel ?? document.activeElement.innerText",
        );
        if (focused.includes(name)) return;
      }
      throw new Error(`The keyboard does not lead to "${name}".`);
    };
    await open(page, "/sign-in?to=/settings/keys");
    await tabTo("A key of your account");
    await page.keyboard.type(key.secret);
    await page.keyboard.press("Enter");
    await at(page, "/settings/keys");
    await tabTo("Name");
    await page.keyboard.type("from the keyboard");
    await page.keyboard.press("Enter");
    const secret = await page.locator("#secret").innerText();
    expect(secret).toMatch(/^svc_sk_/);
    await expectAccessible(page);
    expect((await fixture.call("/v1/agents", { bearer: secret })).status).toBe(200);
    await open(page, "/settings/keys");
    await tabTo("Revoke key from the keyboard");
    await Promise.all([at(page, "/settings/keys"), page.keyboard.press("Enter")]);
    await page.getByText(/^revoked /).waitFor();
    expect((await fixture.call("/v1/agents", { bearer: secret })).status).toBe(401);
    await tabTo("Sign out");
    await page.keyboard.press("Enter");
    await at(page, "/sign-in");
    expect(await page.context().cookies()).toEqual([]);
  });

  it("is done by a link, and ends in another browser when this one says so", async () => {
    const [first, second] = [await browser.openPage(), await browser.openPage()];
    await signIn(second);
    await open(first, links[1] ?? "");
    await first.getByRole("button", { name: "Sign in" }).click();
    await at(first, "/");
    await open(first, "/settings/sessions");
    await first.getByRole("button", { name: "End all other sessions" }).click();
    await first.getByText("Nobody is signed in elsewhere.").waitFor();
    await open(second, "/settings/keys");
    expect(new URL(second.url()).pathname).toBe("/sign-in");
  });

  it("has no cookie that a script can read, and nothing that the content policy refuses", async () => {
    const page = await browser.openPage();
    await signIn(page);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(browser.faults).toEqual([]);
  });
});
