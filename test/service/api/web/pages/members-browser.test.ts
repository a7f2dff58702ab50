// The pages of members in a browser: by axe's rules in every look, and by the keyboard alone.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../../support/people.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

describe("the pages of members in a browser", { tags: ["chromium"] }, () => {
  let core: CoreFixture;
  let api: HttpApi;
  let browser: TestBrowser;
  let account: TestAccount;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    await addPerson(core.core, { accountId: account.id, role: "member", name: "Ada" });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await api.close();
  });

  const signedIn = async (look: (typeof looks)[number]) => {
    const page = await browser.openPage(look);
    const { secret } = await signInTo(core.core, account.id);
    await page.context().addCookies([{ name: "session", value: secret, url: api.url }]);
    return page;
  };

  it.each(looks)("are for everybody, in $colorScheme at $width", async (look) => {
    const page = await signedIn(look);
    await page.goto(`${api.url}/settings/members`);
    await expectAccessible(page);
    // By the keyboard alone: the role, then the button behind it.
    await page.getByLabel("Role of somebody new").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const link = await page.locator("#secret").innerText();
    await expectAccessible(page);
    const path = new URL(link).pathname;
    const guest = await browser.openPage(look);
    await guest.goto(api.url + path);
    await expectAccessible(guest);
    await guest.getByLabel("Your name, for the others in the account").fill("Grace");
    await guest.keyboard.press("Enter");
    await guest.getByText("Settings").first().waitFor();
    await guest.goto(`${api.url}/accounts`);
    await expectAccessible(guest);
    expect(await guest.getByRole("button", { name: /: account/ }).count()).toBe(1);
  });
});
