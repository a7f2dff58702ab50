// The steps of a run on its page in a real browser: folded and open in four looks, by keyboard alone, and grown live to what a
// reload shows.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BackendTask } from "../../../../../src/service/executor/backend.ts";
import { randomRun } from "../../../../render/run-page/step-streams.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { callTool, type LinkedRun, RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";

const read = (task: BackendTask, path: string, result = "let a = 1;\n") =>
  callTool(task, { name: "read_file", args: { path }, result });

async function fix(task: BackendTask): Promise<void> {
  await say(task, "I look at the code first.");
  for (const name of ["a", "b", "c"]) await read(task, `src/${name}.ts`);
  await callTool(task, { name: "search", args: { pattern: "parcels" }, result: "src/a.ts:1" });
  await read(task, "src/none.ts", "error: there is no such file");
  await say(task, "Now the tests.");
  const result = `${"a line of output\n".repeat(60)}1 test failed\n[exit code 1]`;
  await callTool(task, { name: "run_command", args: { command: "npm test" }, result });
  const results = [{ command: "npm test", kind: "test" as const, exit_code: 1 }];
  await task.emit({ type: "CUSTOM", name: "checks", value: { state: "failed", results } });
  const value = { verdict: "broken", files: [{ path: "src/a.ts", lines: 3 }], notes: ["one", "two"] };
  await task.emit({ type: "CUSTOM", name: "output", value });
  await say(task, JSON.stringify(value));
}

describe("the steps of a run in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let pages: RunPages;
  let fixed: LinkedRun;

  beforeAll(async () => {
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open()]);
    fixed = await pages.finished(fix);
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  const show = async (run: LinkedRun, { look = {}, hash = "" } = {}): Promise<Page> => {
    const page = await browser.openPage(look);
    await page.goto(`${pages.url}${run.path}?view=${run.token}${hash}`);
    return page;
  };

  it.each(looks)("have no fault in $colorScheme at $width, folded and open", async (look) => {
    const page = await show(fixed, { look });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Open all (e)" }).click();
    await expectAccessible(page);
    expect(browser.faults).toEqual([]);
  });

  it("fold what was only read, show a failure and a check as such, and the reply once, as a table", async () => {
    const page = await show(fixed);
    expect(await page.locator(".reads > .body > details > summary").textContent()).toMatch(
      /^✓ Read 3 files, searched once/,
    );
    expect(await page.locator("#entries .failed[open]").count()).toBe(2);
    const test = page.locator("#entries .failed summary", { hasText: "$ npm test" });
    expect(await test.locator(".chip").allTextContents()).toEqual(["exit 1", "☑ tests"]);
    expect(await page.locator("#entries .failed pre").last().textContent()).toMatch(/1 test failed$/);
    expect(await page.locator("#reply th").allTextContents()).toEqual(["path", "lines"]);
    expect(await page.locator("#entries").textContent()).not.toContain('{"verdict"');
    expect(await page.locator("#reply").textContent()).not.toContain('{"');
  });

  it("link a review's findings to their lines at the code host", async () => {
    const findings = [
      { path: "src/a.ts", start_line: 1, line: 3, severity: "error", title: "Wrong", body: "It is." },
    ];
    const run = await pages.finished(async (task) => {
      await task.emit({ type: "CUSTOM", name: "output", value: { summary: "One thing.", findings } });
    });
    const page = await show(run);
    expect(await page.locator(".finding a").getAttribute("href")).toMatch(
      /^https:\/\/issuer\.example\/octo\/hello\/blob\/a{40}\/src\/a\.ts#L1-L3$/,
    );
    expect(await page.locator(".finding .chip").textContent()).toBe("✖ error");
  });

  it("are walked by keyboard alone: what is folded away is passed over, and an address opens it", async () => {
    const page = await show(fixed);
    const at = () => page.evaluate("document.activeElement.className");
    const seen: unknown[] = [];
    for (let press = 0; press < 3; press += 1) {
      await page.keyboard.press("j");
      seen.push(await at());
    }
    expect(seen).toEqual(["entry message", "entry reads", "entry call"]);
    await page.keyboard.press("k");
    expect(await at()).toMatch(/^entry reads/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.locator(".reads > .body > details").getAttribute("open")).toBe("");
    const hidden = (await page.locator(".reads .call").nth(1).getAttribute("id")) ?? "";
    const named = await show(fixed, { hash: `#${hidden}` });
    expect(await named.locator(`#${hidden} details`).getAttribute("open")).toBe("");
    expect(await named.locator(".reads > .body > details").getAttribute("open")).toBe("");
    expect(await named.evaluate("document.activeElement.id")).toBe(hidden);
    expect(browser.faults).toEqual([]);
  });

  it("mark in the timeline what is pointed at in the list, and the other way round", async () => {
    const page = await show(fixed);
    const marked = () =>
      page.locator(".marked").evaluateAll((all) => all.map((one) => one.id || one.querySelector("a")?.hash));
    const fold = (await page.locator(".reads").getAttribute("id")) ?? "";
    await page.locator(".reads > .body > details > summary").hover();
    expect(await marked()).toEqual([`#${fold}`]);
    await page.locator(`.waterfall a[href="#${fold}"]`).focus();
    expect(await marked()).toEqual([fold]);
    expect(await page.locator(".waterfall li a").allTextContents()).toEqual([
      "I look at the code first.",
      "Read 3 files, searched once",
      "✗ read_file src/none.ts",
      "Now the tests.",
      "✗ $ npm test",
      "A reply as data",
    ]);
  });

  it.each([1, 2, 3, 4])(
    "grow to what a reload shows, wherever the page was opened: seed %i",
    async (seed) => {
      const events = randomRun(seed, 14).slice(1, -1);
      const openedAt = Math.floor((events.length * seed) / 6);
      const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const run = await pages.start(async (task) => {
        for (const [index, event] of events.entries()) {
          if (index === openedAt) {
            reached.resolve();
            await held.promise;
          }
          await task.emit(event);
        }
      });
      await reached.promise;
      await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= openedAt + 1);
      const page = await show(run);
      await page.getByText("Live", { exact: true }).waitFor();
      held.resolve();
      await page.getByText("The run has ended").waitFor();
      await page.getByText("The reply is above.").waitFor();
      const contents = async () => [
        await page.locator("#entries > li").evaluateAll((rows) => rows.map((row) => row.outerHTML)),
        await page.locator(".waterfall li, .waterfall .ticks span").allTextContents(),
        await page.locator("#reply").innerHTML(),
      ];
      const drawn = await contents();
      await page.reload();
      expect(drawn).toEqual(await contents());
      expect(browser.faults).toEqual([]);
    },
  );

  it("are all there where many come before the first of them is drawn", async () => {
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = await pages.start(async (task) => {
      reached.resolve();
      await held.promise;
      for (const number of [1, 2, 3, 4]) {
        await read(task, `src/${number}.ts`);
        await say(task, `Read ${number}.`);
      }
    });
    await reached.promise;
    const page = await browser.openPage();
    // A slow machine: whatever comes within a second is drawn in one frame.
    await page.addInitScript(() => {
      window.requestAnimationFrame = (draw) => Number(setTimeout(() => draw(performance.now()), 1_000));
    });
    await page.goto(`${pages.url}${run.path}?view=${run.token}`);
    await page.getByText("Live", { exact: true }).waitFor();
    held.resolve();
    await page.getByText("The reply is above.").waitFor();
    const rows = () =>
      page.locator("#entries > li").evaluateAll((all) => all.map(({ outerHTML }) => outerHTML));
    const drawn = await rows();
    await page.reload();
    expect(drawn).toEqual(await rows());
    expect(drawn.length).toBeGreaterThan(4);
    expect(browser.faults).toEqual([]);
  });

  it("keep open what a reader has opened, while more joins the fold", async () => {
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = await pages.start(async (task) => {
      await read(task, "src/a.ts");
      reached.resolve();
      await held.promise;
      for (const name of ["b", "c"]) await read(task, `src/${name}.ts`);
      await say(task, "Read.");
    });
    await reached.promise;
    await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= 5);
    const page = await show(run);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator("#entries .call summary").click();
    held.resolve();
    await page.getByText("The run has ended").waitFor();
    await page.getByText("Read 3 files").first().waitFor();
    expect(await page.locator("#entries .call details").first().getAttribute("open")).toBe("");
    expect(await page.locator(".reads > .body > details").getAttribute("open")).toBe("");
    expect(browser.faults).toEqual([]);
  });
});
