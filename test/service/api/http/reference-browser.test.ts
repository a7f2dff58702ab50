// The API reference in a browser: every page in every look, and its search by the keyboard.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../../../src/contract/openapi/document.ts";
import { openReference } from "../../../../src/service/api/http/reference/reference-pages.ts";
import { expectAccessible } from "../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../support/browser/open-browser.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";

const MAX_HEIGHT = 20_000;

describe("the API reference in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let fixture: ServiceFixture;

  beforeAll(async () => {
    [browser, fixture] = await Promise.all([openBrowser(), startFixture({ level: "service" })]);
  });

  afterAll(async () => {
    await browser.close();
    await fixture.close();
  });

  it("has pages that are not endless, for a desktop", async () => {
    const { pages } = openReference(openApiDocument(fixture.url));
    const page = await browser.openPage();
    const heights: [string, number][] = [];
    for (const slug of [
      "",
      "/refusals",
      "/client-library",
      "/client-methods",
      ...pages.map((one) => `/${one.slug}`),
    ]) {
      await page.goto(`${fixture.url}/docs${slug}`);
      heights.push([slug, await page.evaluate(() => document.documentElement.scrollHeight)]);
    }
    expect(heights.filter(([, height]) => height > MAX_HEIGHT)).toEqual([]);
  });

  it.each(looks)("can be read by everybody: $colorScheme, $width px", async (look) => {
    const page = await browser.openPage(look);
    for (const path of [
      "/docs",
      "/docs/runs",
      "/docs/refusals",
      "/docs/client-library",
      "/docs/client-methods",
      "/docs?q=run",
    ]) {
      await page.goto(fixture.url + path);
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(look.width);
    }
    expect(browser.faults).toEqual([]);
  });

  it("finds a name by the keyboard alone", async () => {
    const page = await browser.openPage();
    await page.goto(`${fixture.url}/docs`);
    await page.keyboard.press("Tab");
    await page.keyboard.type("runs cancel");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "/runs/{runID}/cancel" }).first().click();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/docs/runs#runsCancel");
    expect(browser.faults).toEqual([]);
  });
});
