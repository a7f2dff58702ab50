// The account's page of the settings in a browser: by axe's rules in every look, and by the keyboard alone.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../../support/people.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

/** As wide as a name can be. */
const WIDE = "W".repeat(60);

describe("the account's page in a browser", { tags: ["chromium"] }, () => {
  let core: CoreFixture;
  let api: HttpApi;
  let browser: TestBrowser;
  let account: TestAccount;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await api.close();
  });

  const signedIn = async (look: (typeof looks)[number], personId?: string) => {
    const page = await browser.openPage(look);
    const { secret } = await signInTo(core.core, account.id, personId);
    await page.context().addCookies([{ name: "session", value: secret, url: api.url }]);
    return page;
  };

  it.each(looks)("is for everybody, in $colorScheme at $width", async (look) => {
    const page = await signedIn(look);
    await page.goto(`${api.url}/settings/account`);
    await expectAccessible(page);
    // By the keyboard alone: the field, then the button behind it.
    const field = page.getByLabel("What its people call it");
    await field.focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(WIDE);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("dd strong", { hasText: WIDE }).waitFor();
    await expectAccessible(page);
    for (const path of ["/", "/accounts", "/settings/members"]) {
      await page.goto(api.url + path);
      await expectAccessible(page);
      expect(await page.getByRole("link", { name: `Account ${WIDE}, owner: change` }).count()).toBe(1);
      const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
      expect([path, await page.evaluate(isWider)]).toEqual([path, false]);
    }
    const personId = await addPerson(core.core, { accountId: account.id, role: "viewer" });
    const viewer = await signedIn(look, personId);
    await viewer.goto(`${api.url}/settings/account`);
    await expectAccessible(viewer);
    expect(await viewer.getByRole("button", { name: "Save name" }).count()).toBe(0);
    expect(browser.faults).toEqual([]);
  });
});
