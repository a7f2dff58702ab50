// The page of a run in a real browser: in both schemes and widths, by keyboard alone, live without doubling, and inert
// whatever an agent wrote.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OutputEvent } from "../../../../../src/contract/runs/run-event.ts";
import type { BackendTask } from "../../../../../src/service/executor/backend.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { callTool, changesEvent, type LinkedRun, RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";

const FINDINGS: OutputEvent["value"] = {
  summary: "Two things.",
  findings: [
    {
      path: "src/a.ts",
      line: 3,
      severity: "error",
      title: "Wrong",
      body: "It **is**.",
      suggestion: "let a;",
    },
    { path: "src/b.ts", line: 1, severity: "notice", title: "Hm", body: "Maybe." },
  ],
};

/** Something of each colour, and each in what changes. */
const CODE = 'if (one(1 + 0x1)) return "one"; /* one */ else one(null, "x"); // one';

async function review(task: BackendTask): Promise<void> {
  await task.emit({ type: "STEP_STARTED", stepName: "Review" });
  await callTool(task, { name: "read_file", args: { path: "src/a.ts" }, result: "let a = 1;\n".repeat(80) });
  await callTool(task, { name: "run_command", args: { command: "npm test" }, result: "exit code 1\nfailed" });
  await task.emit({ type: "STEP_FINISHED", stepName: "Review" });
  await task.emit({
    type: "CUSTOM",
    name: "plan",
    value: {
      steps: [
        { text: "Read", status: "completed" },
        { text: "Say", status: "in_progress" },
      ],
    },
  });
  await task.emit({
    type: "CUSTOM",
    name: "egress",
    value: {
      withheld: ["registries"],
      allowed: [{ host: "registry.npmjs.org", connections: 2, bytes: 12_345 }],
      blocked: [{ host: "evil.example", times: 2, reason: "policy" }],
    },
  });
  await task.emit(
    changesEvent(
      `diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n ${CODE}\n-${CODE}\n+${CODE.replaceAll("one", "two")}\n`,
      ["src/a.ts"],
    ),
  );
  await task.emit({ type: "CUSTOM", name: "output", value: FINDINGS });
  await say(task, "# Done\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```");
}

/** Seventy turns, near the end of the context window. */
async function useTokens(task: BackendTask): Promise<void> {
  for (let turn = 1; turn <= 70; turn += 1) {
    await task.beginTurn(turn);
    const call = { role: "executor", model: "small", contextWindow: 200_000, calls: 1 } as const;
    const inputTokens = 2_500 * turn;
    task.meter.turn.count({ ...call, inputTokens, cachedInputTokens: 2_300 * turn, outputTokens: 900 });
    task.meter.turn.count({
      ...call,
      role: "explorer",
      inputTokens: 10,
      cachedInputTokens: 0,
      outputTokens: 1,
    });
  }
}

const HOSTILE = [
  "<script>window.hit = 1</script>",
  "<img src=x onerror='window.hit = 2'>",
  "[click](javascript:window.hit=3)",
  "\u202Egnp.exe",
  "</pre></details><script>window.hit = 4</script>",
  `\`\`\`\n</code></pre><svg onload="window.hit = 5">\n\`\`\``,
  "x".repeat(60_000),
  '" onmouseover="window.hit = 6',
];

async function attack(task: BackendTask): Promise<void> {
  const text = HOSTILE.join("\n\n");
  await task.emit({ type: "STEP_STARTED", stepName: text });
  await callTool(task, { name: text.slice(0, 200), args: { path: text, b: HOSTILE }, result: text });
  await task.emit({ type: "STEP_FINISHED", stepName: text });
  await task.emit({ type: "CUSTOM", name: "notice", value: { text } });
  await task.emit({ type: "CUSTOM", name: "plan", value: { steps: [{ text, status: "pending" }] } });
  const findings = HOSTILE.map((body) => ({
    path: body.slice(0, 90),
    line: 1,
    severity: "error",
    title: body,
    body,
  }));
  await task.emit({ type: "CUSTOM", name: "output", value: { summary: text, findings } });
  const patch = `diff --git a/<b>.ts b/<b>.ts\n--- a/<b>.ts\n+++ b/<b>.ts\n@@ -1 +1,2 @@\n-a\n+${HOSTILE[0]}\n+${HOSTILE[6]}\n`;
  await task.emit(changesEvent(patch, ["<b>.ts"]));
  await say(task, text);
}

describe("the page of a run in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let pages: RunPages;
  let reviewed: LinkedRun;

  beforeAll(async () => {
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open()]);
    reviewed = await pages.finished(async (task) => {
      await useTokens(task);
      await review(task);
    });
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  const show = async (run: LinkedRun, look = {}): Promise<Page> => {
    const page = await browser.openPage(look);
    await page.goto(`${pages.url}${run.path}?view=${run.token}`);
    return page;
  };

  it.each(looks)("has no fault in $colorScheme at $width, folded and open", async (look) => {
    const page = await show(reviewed, look);
    expect(page.url()).toBe(pages.url + reviewed.path);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Open all (e)" }).click();
    await page.locator("#turns summary").click();
    await page.getByRole("region", { name: "Table of tokens by turn" }).waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("img", { name: /^Tokens by turn: 70 turns\./ }).isVisible()).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    expect(browser.faults).toEqual([]);
  });

  it("is read by keyboard alone", async () => {
    const page = await show(reviewed);
    const focused = () => page.evaluate("document.activeElement?.id ?? ''");
    const isOpen = () => page.evaluate("document.activeElement.querySelector('details')?.open");
    await page.keyboard.press("j");
    const first = await focused();
    await page.keyboard.press("j");
    const second = await focused();
    expect([first, second].every((id) => /^e\d+$/.test(String(id))) && first !== second).toBe(true);
    await page.keyboard.press("k");
    expect(await focused()).toBe(first);
    await page.keyboard.press("j");
    expect(await isOpen()).toBe(false);
    await page.keyboard.press("e");
    expect(await isOpen()).toBe(true);
    await page.getByLabel("Keys:").uncheck();
    await page.keyboard.press("k");
    expect(await page.evaluate("document.activeElement?.type")).toBe("checkbox");
    expect(browser.faults).toEqual([]);
  });

  it("opens the entry that its address names, and shows its state in title and icon", async () => {
    const page = await show(reviewed);
    expect(await page.title()).toBe("🔎 2 findings, 1 error");
    expect(await page.evaluate("document.querySelector('link[rel=icon]').href")).toMatch(/^data:image\/svg/);
    const anchor = page.locator("#entries .call .anchor").first();
    await anchor.click();
    expect(await page.evaluate("location.hash")).toMatch(/^#e\d+$/);
    // The page opens it when it hears of the new address.
    const isOpen = () => page.evaluate("document.querySelector(location.hash + ' details').open");
    await expect.poll(isOpen).toBe(true);
  });

  it("grows with the run, every event once, and ends as if it had been opened then", async () => {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const run = await pages.start(async (task) => {
      await say(task, "Before.");
      const toolCallId = task.nextId("call");
      await task.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: "read_file" });
      reached.resolve();
      await held.promise;
      await task.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: '{"path":"a.ts"}' });
      await task.emit({ type: "TOOL_CALL_END", toolCallId });
      const messageId = task.nextId("message");
      await task.emit({
        type: "TOOL_CALL_RESULT",
        messageId,
        toolCallId,
        content: "text of a",
        role: "tool",
      });
      await review(task);
    });
    await reached.promise;
    await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= 5);
    const page = await show(run);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.title()).toBe("▶️ Running");
    held.resolve();
    await page.getByText("The run has ended: 2 findings, 1 error").waitFor();
    await page.getByText("registry.npmjs.org").waitFor();
    const drawn = await contents(page);
    await page.reload();
    expect(drawn).toEqual(await contents(page));
    // Code has its colours from the service.
    expect(await page.locator("#changes .k", { hasText: "return" }).count()).toBe(4);
    expect(browser.faults).toEqual([]);
  });

  it("reads on where its connection was lost, without doubling", async () => {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const run = await pages.start(async (task) => {
      await say(task, "Before.");
      reached.resolve();
      await held.promise;
      await say(task, "After.");
    });
    await reached.promise;
    await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= 4);
    const page = await browser.openPage();
    let lost = 0;
    await page.routeWebSocket(/\/v1\/ws$/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        const isFirstEvent = lost === 0 && String(message).includes('"type":"subscribed"');
        socket.send(message);
        if (isFirstEvent) {
          lost += 1;
          void socket.close({ code: 4000, reason: "lost" });
          held.resolve();
        }
      });
    });
    await page.goto(`${pages.url}${run.path}?view=${run.token}`);
    await page.getByText("The run has ended").waitFor();
    expect(lost).toBe(1);
    await page.getByText("The reply is above.").waitFor();
    expect(await page.locator("#entries .entry .body").allTextContents()).toEqual([
      "Before.",
      "The reply is above.",
    ]);
    expect(await page.locator("#reply .said").textContent()).toBe("After.");
  });

  it("follows the newest entry until its reader scrolls up", async () => {
    const goOn = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const reached = Promise.withResolvers<void>();
    const many = async (task: BackendTask, word: string) => {
      for (let index = 0; index < 60; index += 1) await say(task, `${word} ${index}`);
    };
    const run = await pages.start(async (task) => {
      await many(task, "first");
      reached.resolve();
      await goOn[0]?.promise;
      await many(task, "second");
      await goOn[1]?.promise;
      await many(task, "third");
      await say(task, "The reply.");
    });
    await reached.promise;
    await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= 180);
    const page = await show(run);
    const isSeen = async (text: string) =>
      await page
        .locator("#entries")
        .getByText(text, { exact: true })
        .evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
    goOn[0]?.resolve();
    await page.locator("#entries").getByText("second 59", { exact: true }).waitFor();
    await expect.poll(() => isSeen("second 59")).toBe(true);
    await page.mouse.move(200, 200);
    await page.mouse.wheel(0, -2_000);
    await expect
      .poll(() => page.getByRole("button", { name: "Follow (f)" }).getAttribute("aria-pressed"))
      .toBe("false");
    goOn[1]?.resolve();
    await page.locator("#entries").getByText("third 59", { exact: true }).waitFor({ state: "attached" });
    expect(await isSeen("third 59")).toBe(false);
    await page.getByRole("button", { name: "Jump to newest" }).click();
    await expect.poll(() => isSeen("third 59")).toBe(true);
    expect(browser.faults).toEqual([]);
  });

  it.each(["finished", "live"] as const)("lets nothing that an agent wrote do anything: %s", async (kind) => {
    let run: LinkedRun;
    const held = Promise.withResolvers<void>();
    if (kind === "finished") run = await pages.finished(attack);
    else run = await pages.start(async (task) => await held.promise.then(() => attack(task)));
    const page = await show(run, { width: 400 });
    held.resolve();
    await page.getByText(/Findings: \d errors/).waitFor();
    await page.getByRole("button", { name: "Open all (e)" }).click();
    await page.locator("#entries .call code").first().hover();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await page.locator("#run script, #run img, #run svg[onload], #run [onmouseover]").count()).toBe(0);
    expect(await page.locator('#run a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator("#run").textContent()).toContain("‹U+202E›gnp.exe");
    await expectAccessible(page);
    expect(browser.faults).toEqual([]);
  });

  /** What a reader sees, without the time that passes. */
  async function contents(page: Page): Promise<readonly unknown[]> {
    return [
      await page.title(),
      await page.locator("#verdict").textContent(),
      await page.locator("#entries > li").evaluateAll((entries) => entries.map((entry) => entry.outerHTML)),
      ...(await Promise.all(
        ["reply", "findings", "changes", "plan", "network", "cost"].map((id) =>
          page.locator(`#${id}`).innerHTML(),
        ),
      ).then((all) => all.map((html) => html.replaceAll(/<span class="[csnkf]">([^<]*)<\/span>/g, "$1")))),
      await page.locator(".waterfall li").allTextContents(),
    ];
  }
});
