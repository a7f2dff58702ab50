// Lists of runs that go on by themselves: a run's end and a new run are seen without a reload, the focus stays, and a list on which
// nothing moves asks for nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AccountRuns } from "../../../../support/account-runs.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say, scriptedBackend } from "../../../../support/scripted-backend.ts";

describe("a list of runs in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let pages: RunPages;
  let runs: AccountRuns;
  let finish = () => {};

  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      if (task.messages.at(-1)?.content === "wait") {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      }
      await say(task, "Done.");
    });
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open({ backend })]);
  });

  beforeEach(async () => {
    runs = await AccountRuns.of(pages);
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  const open = async (path: string) => {
    const page = await browser.openPage();
    await page.context().addCookies([{ name: "session", value: runs.secret, url: pages.url }]);
    const asked: number[] = [];
    page.on("response", (response) => {
      if (response.url().includes("part=list")) asked.push(response.status());
    });
    await page.goto(pages.url + path);
    return { page, asked };
  };

  it.each(["/", "/runs", "/runs?from=user"])(
    "shows on %s how a run ends, and one that began after",
    async (path) => {
      const { runId } = await runs.start({ message: "wait" });
      await pages.fixture.until(runId, ({ status }) => status === "running");
      const { page, asked } = await open(path);
      const link = page.locator(".runs .what a").first();
      await link.focus();
      expect(await page.locator(".runs .state").first().getAttribute("title")).toBe("running");
      // Nothing has changed: it is not sent again.
      await page.waitForResponse(
        (response) => response.url().includes("part=list") && response.status() === 200,
      );
      await page.waitForResponse((response) => response.status() === 304);
      expect(await link.evaluate((one) => one === document.activeElement)).toBe(true);

      const later = await runs.ended({ message: "Another one" });
      finish();
      await pages.fixture.ended(runId);
      await page.locator('.runs .state[title="completed"]').nth(1).waitFor();
      const hrefs = await page
        .locator(".runs .what a")
        .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      // In the same millisecond either is the newer one.
      const shown = [...(await runs.get(path)).matchAll(/<a href="([^"]+\/runs\/[^"]+)">/g)];
      expect(hrefs).toEqual(shown.map(([, href]) => href));
      expect(hrefs).toContain(later.path);
      const focused = await page.evaluate(() => document.activeElement?.getAttribute("href"));
      expect(focused).toBe(runs.pathOf(runId));
      expect(browser.faults).toEqual([]);
      await expectAccessible(page);

      // All have ended: nothing more is asked for.
      expect(await page.locator("ol.runs[data-list]").count()).toBe(0);
      const count = asked.length;
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      expect(asked).toHaveLength(count);
      expect(browser.faults).toEqual([]);
    },
  );

  it("is as it was where nothing moves, and without a session there is none", async () => {
    await runs.ended({ message: "hello" });
    const { page } = await open("/runs");
    expect(await page.locator("script, [data-list]").count()).toBe(0);
    const answer = await pages.get("/runs?part=list");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/sign-in?to=%2Fruns%3Fpart%3Dlist",
    ]);
    const text = await runs.get("/runs?part=list");
    expect(text).toMatch(/^<ol class="runs">.*<\/ol>$/s);
    expect(text).not.toContain("data-list");
  });
});
