// The browser of the tests: what it reports, and what it lets pass.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "./expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "./open-browser.ts";

const page = (body: string) =>
  `data:text/html,${encodeURIComponent(`<!doctype html><html lang="en"><title>t</title><main><h1>t</h1>${body}</main>`)}`;

describe("the browser of the tests", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser.close());

  it.each(looks)("shows a page in $colorScheme at $width", async (look) => {
    const shown = await browser.openPage(look);
    await shown.goto(page("<p>Hello"));
    expect(await shown.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]")).toEqual([
      look.width,
      look.colorScheme === "dark",
    ]);
    await expectAccessible(shown);
  });

  it.each([
    ["a picture without a text", "<img src='data:,'>", "image-alt"],
    ["text that is hard to read", "<p style='color:#999'>Hello", "color-contrast"],
    ["a page that is too wide", "<div style='width: 5000px'>Hello</div>", "the width of"],
  ])("does not let %s pass", async (_what, body, named) => {
    const shown = await browser.openPage();
    await shown.goto(page(body));
    await expect(expectAccessible(shown)).rejects.toThrow(named);
  });

  it("reports what a page throws, and what its content policy refuses", async () => {
    const shown = await browser.openPage();
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;
    await shown.goto(page("<script>throw new Error('thrown here')</script>"));
    await shown.goto(page(`${policy}<script>1</script>`));
    expect(browser.faults.join("\n")).toMatch(/thrown here[\s\S]*Content Security Policy/);
  });
});
