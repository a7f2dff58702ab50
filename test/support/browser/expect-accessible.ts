// What every page must be for everybody who reads it: no violation of axe's rules, and no scrolling sideways.

import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Fails with a line for each violation of axe's rules, and where the page is wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found: AxeResults = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const violations = found.violations.flatMap(textsOf);
  if (violations.length > 0) throw new Error([`axe on ${page.url()}`, ...violations].join("\n"));
  const [shown, needed] = await page.evaluate<[number, number]>(
    "[document.documentElement.clientWidth, document.documentElement.scrollWidth]",
  );
  expect(needed, `the width of ${page.url()}`).toBeLessThanOrEqual(shown);
}

function textsOf({ id, help, nodes }: AxeResults["violations"][number]): string[] {
  return nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}: ${html}: ${failureSummary}`);
}
