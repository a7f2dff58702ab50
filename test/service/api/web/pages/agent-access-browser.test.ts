// How an agent's repository is read, and for whom its runs get ID tokens, on the agent's page in a real browser: each state in both color schemes and widths, and the choice by keyboard.

import { createPrivateKey } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealingKeyOf } from "../../../../../src/base/sealed-text.ts";
import { createClient } from "../../../../../src/client/client.ts";
import { noKnownHosts } from "../../../../../src/service/checkouts/remotes/known-hosts.ts";
import type { Config } from "../../../../../src/service/settings/config.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { CommitFixture } from "../../../commits/commit-fixture.ts";

const keysOf = (fill: number) => ({ current: sealingKeyOf(Buffer.alloc(32, fill)), previous: null });

describe("the agent's page", { tags: ["chromium"] }, () => {
  let at: CommitFixture;
  let browser: TestBrowser;
  let config: Partial<Config>;
  let agentId: string;

  beforeAll(async () => {
    // A host whose key is published: nothing connects to it.
    const issuerEntry = { ssh_url: "ssh://git@github.com/{repository}.git" };
    at = await CommitFixture.start({ secretKeys: keysOf(7) }, { issuerEntry });
    const { id, privateKey } = at.service.codeHost.app;
    const app = { id, key: createPrivateKey(privateKey) };
    config = { secretKeys: keysOf(7), remotes: { knownHosts: noKnownHosts, app, appKeyFile: null } };
    await at.service.restart({ config });
    ({ agentId } = await at.service.job(await at.claimed()));
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await at.close();
  });

  async function openSection(page: Page): Promise<void> {
    await page.goto(`${at.service.url}/sign-in?to=/agent/${agentId}/settings`);
    await page.getByLabel("A key of your account").fill(at.key.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Reading the repository" }).waitFor();
  }

  const press = async (page: Page, name: string) => {
    await page.getByRole("button", { name }).press("Enter");
    await page.waitForLoadState();
  };

  it.each(looks)(
    "shows every access, and audiences of ID tokens, to everybody, in $colorScheme at $width",
    async (look) => {
      const page = await browser.openPage(look);
      await openSection(page);
      await page.getByRole("button", { name: "Use the GitHub App" }).waitFor();
      await expectAccessible(page);
      await page.getByLabel("Audience").fill("sts.amazonaws.com");
      await page.getByLabel("Runs", { exact: true }).selectOption("all");
      await press(page, "Let its runs get tokens");
      await page.getByText("for all runs, since").waitFor();
      await press(page, "Make a deploy key");
      const { public_key: publicKey } = await owner().repositoryAccess.get({ agentId });
      expect(await page.getByLabel("Public key").inputValue()).toBe(publicKey);
      expect(await page.getByLabel("Public key").isEditable()).toBe(false);
      await expectAccessible(page);
      await press(page, "Remove the key");
      await press(page, "Use the GitHub App");
      await page.getByText("Install the App on the repository.").waitFor();
      await expectAccessible(page);
      await press(page, "Use the App no longer");
      await page.getByRole("button", { name: "Make a deploy key" }).waitFor();
      await press(page, "Revoke the grant for sts.amazonaws.com");
      await page.getByText("Its runs get no ID tokens.").waitFor();
    },
  );

  it.each(looks)("says what is missing, in $colorScheme at $width", async (look) => {
    await owner().repositoryAccess.put({ agentId, body: { kind: "deploy_key" } });
    await at.service.restart({ config: { ...config, secretKeys: keysOf(8) } });
    const page = await browser.openPage(look);
    await openSection(page);
    await page.getByText("It cannot be used now: the deploy key was sealed by another").waitFor();
    await expectAccessible(page);
    await owner().repositoryAccess.delete({ agentId });
    await at.service.restart({ config: { secretKeys: null } });
    const without = await browser.openPage(look);
    await openSection(without);
    await without.getByText("This service has no key to seal a deploy key with.").waitFor();
    await expectAccessible(without);
    await at.service.restart({ config });
  });

  it("has nothing that the content policy refuses", () => {
    expect(browser.faults).toEqual([]);
  });

  const owner = () => createClient({ baseUrl: at.service.url, credential: at.key.secret });
});
