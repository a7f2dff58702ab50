// A headless Chromium: a page in, a picture of one of its elements out. It resolves no name, so a page has only what is
// in it, lies beside it or comes from this machine.

import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Browser as Chromium, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** Sharp enough for a fine screen; every job that uses the Action downloads the pictures, too. */
const PIXELS = 1.5;

export type Shot = {
  /** Where it sets `window.isDrawn`, a promise, that is awaited, and says what went wrong by rejecting. */
  readonly url: string;
  /** A CSS selector of what is shown. */
  readonly selector: string;
  readonly isDark: boolean;
  readonly width: number;
  /** Sent with each request. Default: none. */
  readonly cookie?: string | null;
  /** What is further down is cut. */
  readonly maxHeight: number;
};

export interface Browser {
  /** A PNG, with `PIXELS` to a pixel of the page. */
  shoot(shot: Shot): Promise<Buffer>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;
/** `CHROMIUM`, or the first Chromium in `PATH`. Throws where there is none. */
export async function findBrowser({ CHROMIUM = "", PATH = "" }: Environment): Promise<string> {
  if (CHROMIUM !== "") {
    if (await isProgram(CHROMIUM)) return CHROMIUM;
    throw new Error(
      `CHROMIUM is ${JSON.stringify(CHROMIUM)}, which is no program. Name a Chromium or a Chrome.`,
    );
  }
  for (const folder of PATH.split(delimiter).filter((path) => path !== "")) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (await isProgram(path)) return path;
    }
  }
  throw new Error(`PATH has none of ${NAMES.join(", ")}. Install Chromium, or set CHROMIUM to a Chrome.`);
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

export async function openBrowser(program: string): Promise<Browser> {
  const chromiumBrowser = await chromium.launch({
    executablePath: program,
    args: [
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      // Else a page on disk may not read the fonts that lie beside it.
      "--allow-file-access-from-files",
      // Chromium has no sandbox for root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
  return { shoot: (shot) => shootIn(chromiumBrowser, shot), close: () => chromiumBrowser.close() };
}

async function shootIn(
  browser: Chromium,
  { url, selector, isDark, width, maxHeight, cookie = null }: Shot,
): Promise<Buffer> {
  const context = await browser.newContext({
    colorScheme: isDark ? "dark" : "light",
    deviceScaleFactor: PIXELS,
    ...(cookie === null ? {} : { extraHTTPHeaders: { cookie } }),
    viewport: { width, height: 800 },
  });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate("Promise.resolve(window.isDrawn).then(() => document.fonts.ready).then(() => null)");
    const box = await page.locator(selector).first().boundingBox();
    if (box === null) throw new Error(`${url} shows no ${selector}.`);
    const clip = { ...box, height: Math.min(box.height, maxHeight) };
    return await page.screenshot({ clip, fullPage: true });
  } finally {
    await context.close();
  }
}
