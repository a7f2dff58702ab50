// The pages of usage in a browser: by axe's rules in every look, by the keyboard alone, and no wider than the window.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { insertEndedRun } from "../../../../support/ended-runs.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { reportReview } from "../../../../support/reported-reviews.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const DAY_MS = 86_400_000;

describe("the pages of usage in a browser", { tags: ["chromium"] }, () => {
  let core: CoreFixture;
  let api: HttpApi;
  let browser: TestBrowser;
  let account: TestAccount;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    for (let index = 0; index < 40; index += 1) {
      const runId = await insertEndedRun(core, account, {
        at: new Date(core.clock.now() - index * DAY_MS).toISOString(),
        ...(index % 5 === 0 ? { status: "failed", cause: "time_limit" } : {}),
        ...(index % 7 === 0 ? { status: "cancelled", cause: "user_stop" } : {}),
        ...{
          repository: `github:octo/${"long-name-".repeat(index % 4)}hello`,
          startedBy: `github:${index % 3}`,
        },
        ...{ model: `model-${index % 3}`, tokens: 1_000 * index, grossMicroUsd: 8_333 * (1 + (index % 6)) },
        checks: index % 4 === 0 ? "failed" : "passed",
      });
      const counts = { pull_request: 1 + index, new: index % 3, fixed: index % 5, declined: index % 2 };
      await reportReview(core, { agentId: account.agent.id, runId, counts });
    }
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await api.close();
  });

  it.each(looks)("are for everybody, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    const { secret } = await signInTo(core.core, account.id);
    await page.context().addCookies([{ name: "session", value: secret, url: api.url }]);
    await page.goto(`${api.url}/usage`);
    await expectAccessible(page);
    // By the keyboard alone: another period, then a table.
    await page.getByLabel("Period").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/period=7/);
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Usage by day" }).waitFor();
    await page.locator("summary").last().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Reviews by repository" }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    await page.goto(`${api.url}/usage/ledger`);
    await expectAccessible(page);
  });
});
