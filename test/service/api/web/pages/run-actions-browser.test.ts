// The actions of a run's page in a browser: the page of a run that goes on shows what follows its end by itself, all by the keyboard alone.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorizeWrite } from "../../../../../src/service/core/write-grants/authorize-write.ts";
import { AccountRuns } from "../../../../support/account-runs.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say, scriptedBackend, untilStopped } from "../../../../support/scripted-backend.ts";

describe("the actions of a run in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let pages: RunPages;
  let runs: AccountRuns;

  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (asked === "wait") await untilStopped(task);
      await say(task, `Heard ${asked}`);
    });
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open({ backend })]);
    runs = await AccountRuns.of(pages);
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  const signedIn = async (path: string, look = {}, secret = runs.secret): Promise<Page> => {
    const page = await browser.openPage(look);
    await page.context().addCookies([{ name: "session", value: secret, url: pages.url }]);
    await page.goto(pages.url + path);
    return page;
  };
  const running = async () => {
    const run = await runs.start({ message: "wait" });
    await pages.fixture.until(run.runId, ({ status }) => status === "running");
    return run;
  };
  const press = async (page: Page, name: string) => {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };

  it.each(looks)("cancel, retry and go on by the keyboard, in $colorScheme at $width", async (look) => {
    const { path } = await running();
    const page = await signedIn(path, look);
    const watching = await signedIn(path, look);
    for (const one of [page, watching]) await one.getByText("Live", { exact: true }).waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("button", { name: "Retry" }).isVisible()).toBe(false);
    await press(page, "Cancel the run");
    // Nobody has loaded this one again.
    await watching.getByRole("button", { name: "Retry" }).waitFor();
    expect(await watching.getByRole("button", { name: "Cancel the run" }).isVisible()).toBe(false);
    await watching.getByLabel("The next message of its session").waitFor();
    await expectAccessible(watching);

    await page.reload();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await page.getByRole("link", { name: "And now …" }).focus();
    await page.keyboard.press("Enter");
    const field = page.getByLabel("The next message of its session");
    // The next stop of the keyboard after that link is the field that it leads to.
    await page.keyboard.press("Tab");
    expect(await field.evaluate((node) => node.ownerDocument.activeElement === node)).toBe(true);
    await page.keyboard.type("and now this");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Heard and now this").first().waitFor();
    expect(page.url()).not.toContain(path);

    // The window that still shows the first run keeps what is written there.
    await watching.getByLabel("The next message of its session").fill("mine");
    await press(watching, "Send");
    await watching.getByText("There is no new run.").waitFor();
    expect(await watching.getByLabel("What you had written").inputValue()).toBe("mine");
    await expectAccessible(watching);

    const next = page.url();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await press(page, "Retry");
    await page.waitForURL((url) => url.href !== next);
    await page.getByText("Heard and now this").first().waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await expectAccessible(page);
    expect(browser.faults).toEqual([]);
  });

  it.each(looks)("has no fault with the card of an approval, in $colorScheme at $width", async (look) => {
    const { runId, path } = await runs.ended({ message: "hello" });
    await authorizeWrite(pages.fixture.core, {
      runId,
      agentId: runs.account.agent.id,
      server: `issues-${look.width}-${look.colorScheme}`,
      tool: "create_issue",
      origin: "repository",
      isNamed: false,
      job: null,
      args: JSON.stringify({ title: "A title" }),
    });
    const page = await signedIn(path, look);
    await page.getByRole("button", { name: "Allow writing" }).waitFor();
    await expectAccessible(page);
    expect(browser.faults).toEqual([]);
  });

  it.each(looks)("are not there for a viewer, in $colorScheme at $width", async (look) => {
    const { runId, path } = await running();
    const { secret } = await runs.person("viewer");
    const page = await signedIn(path, look, secret);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Your role is viewer").waitFor();
    expect(await page.locator("#run form").count()).toBe(0);
    await expectAccessible(page);
    await runs.post(`${path}/cancel`, {});
    await pages.fixture.ended(runId);
    await page.getByText("The run has ended").waitFor();
    expect(await page.locator("#run form").count()).toBe(0);
    expect(browser.faults).toEqual([]);
  });
});
