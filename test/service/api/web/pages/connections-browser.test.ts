// The page of connections in a browser: by axe's rules in every look, and by the keyboard alone to a connection and back.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { type ConnectionsFixture, openConnections } from "../../../../support/mcp/connections-fixture.ts";

const PAGE = "/settings/connections";

describe("the page of connections in a browser", { tags: ["chromium"] }, () => {
  let fixture: ConnectionsFixture;
  let browser: TestBrowser;

  beforeAll(async () => {
    fixture = await openConnections();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await fixture.close();
  });

  it.each(looks)("is for everybody, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    const { api, pair, owner } = fixture;
    await page.context().addCookies([{ name: "session", value: owner.secret, url: api.url }]);
    await page.goto(api.url + PAGE);
    await expectAccessible(page);
    await page.getByLabel("Name, as runs use it").focus();
    await page.keyboard.type("linear");
    await page.keyboard.press("Tab");
    await page.keyboard.type("https://mcp.example.com/mcp");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Address of the server").fill(pair.url);
    await page.keyboard.press("Enter");
    const link = page.getByRole("link", { name: "Sign in at localhost" });
    await link.waitFor();
    await expectAccessible(page);
    // The authorization server's page is its own affair: the person comes back from it.
    const back = await fixture.signIn((await link.getAttribute("href")) ?? "");
    await page.goto(api.url + back);
    await page.getByText("linear is connected.").waitFor();
    await expectAccessible(page);
    expect(new URL(page.url()).search).toBe("?connected=linear");
    await page.getByRole("button", { name: "Sign in again to linear" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("linear is disconnected.").waitFor();
    await expectAccessible(page);
  });
});
