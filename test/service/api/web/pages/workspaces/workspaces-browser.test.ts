// The pages of workspaces in a real browser: both color schemes, a telephone's width, the keyboard alone.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../../support/browser/open-browser.ts";
import type { CoreFixture } from "../../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../../support/service-api.ts";
import { signInTo } from "../../../../../support/web-sign-in.ts";
import { WorkspaceFiles } from "../../../../../support/workspace-files.ts";

describe("workspaces with a browser", { tags: ["chromium"] }, () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let browser: TestBrowser;
  let mine: TestAccount;

  beforeAll(async () => {
    fixture = await startFixture({ level: "core" });
    api = await openHttpApi(fixture);
    browser = await openBrowser();
    mine = await makeAccount(fixture);
  });

  afterAll(async () => {
    await browser?.close();
    await api.close();
  });

  const signIn = async (page: Page) => {
    const { secret } = await signInTo(fixture.core, mine.id);
    await page.context().addCookies([{ name: "session", value: secret, url: api.url }]);
  };
  const open = (page: Page, path: string) => page.goto(api.url + path);
  const tabTo = async (page: Page, name: string) => {
    for (let steps = 0; steps < 80; steps += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate<string>(
        "document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel ?? document.activeElement.innerText",
      );
      if (focused.trim() === name) return;
    }
    throw new Error(`The keyboard does not lead to "${name}".`);
  };
  /** One changeset that is open, and one in conflict. */
  const withChangesets = async (name: string) => {
    const files = {
      "README.md": `# A long line ${"that goes on ".repeat(60)}\nsecond\n`,
      [`docs/${"long-name-".repeat(12)}.txt`]: "x\n",
      "binary.dat": "a\0b",
    };
    const workspace = await WorkspaceFiles.make(fixture, { accountId: mine.id, name, files });
    const propose = async (content: string) => {
      const copyId = await workspace.copy();
      await workspace.replace(
        { kind: "copy", copyId },
        { "README.md": content, [`${content.length}.txt`]: content },
      );
      const revisionId = await workspace.checkpoint(copyId, `Write ${content.length}`);
      return { copyId, revisionId, id: await workspace.propose(copyId, "Rewrite the README") };
    };
    return { workspace, first: await propose("first\n"), second: await propose("the second\n") };
  };

  it.each(looks)("are for everybody, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    await signIn(page);
    await open(page, "/workspaces");
    await expectAccessible(page);
    const { workspace, first, second } = await withChangesets(`${look.colorScheme} ${look.width}`);
    const base = `/workspace/${workspace.workspaceId}`;
    const expectAll = async (paths: readonly string[]) => {
      for (const path of paths) {
        const answer = await open(page, path);
        expect(answer?.status(), path).toBe(200);
        await expectAccessible(page);
      }
    };
    await expectAll([
      "/",
      base,
      `${base}/files/docs`,
      `${base}/files/README.md`,
      `${base}/files/binary.dat`,
      `${base}/copies/${first.copyId}/files`,
      `${base}/history?all`,
      `${base}/revisions/${first.revisionId}`,
      `${base}/changesets`,
      `${base}/changesets/${first.id}`,
    ]);
    await page.getByLabel("How it was validated").fill("Read.");
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("This was accepted").waitFor();
    await expectAccessible(page);
    await expectAll([`${base}/changesets/${second.id}`]);
    expect(await page.locator("fieldset").count()).toBe(1);
    expect(browser.faults).toEqual([]);
  });

  it("lead by the keyboard alone from a new workspace to a conflict that is resolved", async () => {
    const page = await browser.openPage();
    await signIn(page);
    await open(page, "/workspaces");
    await tabTo(page, "Name");
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();
    const { workspace, first, second } = await withChangesets("conflict");
    const base = `/workspace/${workspace.workspaceId}`;
    await open(page, `${base}/changesets/${first.id}`);
    await tabTo(page, "How it was validated");
    await page.keyboard.type("Read.");
    await tabTo(page, "Accept");
    await page.keyboard.press("Enter");
    await page.getByText("This was accepted").waitFor();
    await open(page, `${base}/changesets/${second.id}`);
    await page.getByRole("radio", { name: "This text" }).focus();
    await page.keyboard.press("Space");
    await tabTo(page, "Text of README.md");
    const marked = await page.getByLabel("Text of README.md").inputValue();
    expect(marked).toBe("<<<<<<< ours\nfirst\n=======\nthe second\n>>>>>>> theirs\n");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("first, then the second\n");
    await tabTo(page, "How it was validated");
    await page.keyboard.type("Merged by hand.");
    await tabTo(page, "Resolve and accept");
    await page.keyboard.press("Enter");
    await page.getByText("This was accepted").waitFor();
    await open(page, `${base}/files/README.md`);
    expect(await page.locator("#L1").innerText()).toContain("first, then the second");
    expect(browser.faults).toEqual([]);
  });
});
