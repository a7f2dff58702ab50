// A real, headless Chromium for the tests of pages: one a test file, a fresh profile a page.

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../../../scripts/test-needs.ts";
import { isLong } from "../run/long.ts";

/** How a page is shown. */
export type Look = { readonly colorScheme: "light" | "dark"; readonly width: 400 | 1280 };

/**
 * The looks that every page is tested in: both schemes, a telephone and a desktop. Colours do not depend on the width, nor the layout on
 * the scheme, so that two looks meet each of them; the long run meets all four.
 */
export const looks: readonly Look[] = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 400 },
  ...(isLong
    ? ([
        { colorScheme: "dark", width: 1280 },
        { colorScheme: "light", width: 400 },
      ] as const)
    : []),
];

export interface TestBrowser {
  /** A page with a profile of its own: no cookie of another page is in it. Ends with the browser. */
  openPage(look?: Partial<Look>): Promise<Page>;
  /**
   * What the pages complained of so far: thrown errors, and what the console shows as an error, which includes every
   * violation of a content policy. An answer that is an error by its status is none.
   */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** Starts a Chromium. Whoever opened it closes it. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  const faults: string[] = [];
  return {
    faults,
    openPage: async ({ colorScheme = "light", width = 1280 } = {}) => {
      const context = await newContext(browser, { colorScheme, width });
      const page = await context.newPage();
      watchFaults(page, faults);
      return page;
    },
    close: () => browser.close(),
  };
}

async function newContext(browser: Browser, { colorScheme, width }: Look): Promise<BrowserContext> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(20_000);
  return context;
}

function watchFaults(page: Page, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    faults.push(`${page.url()}: ${message.text()}`);
  });
}
