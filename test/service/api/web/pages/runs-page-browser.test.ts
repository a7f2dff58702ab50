// /runs in a browser: by axe's rules in every look, and found by the keyboard alone, without a script.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountRuns } from "../../../../support/account-runs.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say, scriptedBackend } from "../../../../support/scripted-backend.ts";

describe("the page of an account's runs in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let pages: RunPages;
  let runs: AccountRuns;

  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (asked.startsWith("Break")) throw new Error("It broke.");
      await say(task, "Done.");
    });
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open({ backend })]);
    runs = await AccountRuns.of(pages);
    for (const message of ["Break it", "Rename the constant", "Explain the build"])
      await runs.ended({ message });
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  it.each(looks)("finds runs, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    await page.context().addCookies([{ name: "session", value: runs.secret, url: pages.url }]);
    await page.goto(pages.url);
    await page.getByRole("link", { name: "All runs, by state, agent and origin" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    expect(await page.locator(".runs li").count()).toBe(3);
    await expectAccessible(page);
    expect(await page.locator("script").count()).toBe(0);
    await page.getByLabel("State").focus();
    await page.keyboard.type("Fail");
    for (const _ of ["the agent", "the origin", "the button"]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("state") === "failed");
    expect(await page.locator(".runs li").count()).toBe(1);
    expect(await page.getByLabel("State").inputValue()).toBe("failed");
    await expectAccessible(page);
    await page.goto(`${pages.url}/runs?state=cancelled&from=user`);
    await page.getByRole("link", { name: "Without “State: Cancelled”" }).focus();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.search === "?from=user");
    expect(await page.locator(".runs li").count()).toBe(3);
    expect(browser.faults).toEqual([]);
  });
});
