// Figures of a run's page: `node test/support/measure-run-page.ts`, after `npm run build`. What the page of a finished run
// costs, and how a page in Chromium keeps up with a run in flight. Nothing is asserted: machines differ.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { needs } from "../../scripts/test-needs.ts";
import type { BackendTask } from "../../src/service/executor/backend.ts";
import { openBrowser } from "./browser/open-browser.ts";
import { callTool, RunPages } from "./run-pages.ts";
import { say } from "./scripted-backend.ts";

const ROUNDS = 31;
const FINISHED_EVENTS = 1_000;
const LIVE_EVENTS = 10_000;
const EVENTS_A_TURN = 9;
const RESULT_CHARS = 3_000;
const LIVE_MS = 120_000;

const source = readFileSync(new URL("../../src/service/core/runs/submit-run.ts", import.meta.url), "utf8");

async function work(task: BackendTask, events: number): Promise<void> {
  for (let turn = 0; turn < events / EVENTS_A_TURN; turn += 1) {
    await say(task, "I look at ", `part ${turn} of the `, "repository. ");
    const from = (turn * 97) % (source.length - RESULT_CHARS);
    const result = source.slice(from, from + RESULT_CHARS);
    await callTool(task, { name: "read_file", args: { path: `src/file-${turn}.ts` }, result });
  }
}

async function measureFinished(pages: RunPages): Promise<void> {
  const run = await pages.finished((task) => work(task, FINISHED_EVENTS));
  const headers = { cookie: pages.viewCookie(run) };
  const rounds: number[] = [];
  let html = "";
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    html = (await pages.get(run.path, { headers })).text;
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1_000);
  }
  const median = rounds.sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? 0;
  const bytes = `${html.length} bytes of HTML, ${gzipSync(html).length} gzipped`;
  process.stdout.write(
    `${FINISHED_EVENTS} events, finished: median ${median.toFixed(1)} ms of CPU, the request's included; ${bytes}\n`,
  );
}

async function measureLive(pages: RunPages): Promise<void> {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = await pages.start(async (task) => {
    await say(task, "It begins.");
    begun.resolve();
    await goOn.promise;
    await work(task, LIVE_EVENTS);
  });
  await begun.promise;
  const browser = await openBrowser();
  const page = await browser.openPage();
  await page.addInitScript(
    "window.long = []; new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.long.push(duration) }).observe({ type: 'longtask' })",
  );
  await page.goto(`${pages.url}${run.path}?view=${run.token}`);
  await page.getByText("Live", { exact: true }).waitFor();
  const startedAt = performance.now();
  goOn.resolve();
  await page.getByText("The run has ended").waitFor({ timeout: LIVE_MS });
  const tookMs = performance.now() - startedAt;
  const long = await page.evaluate<number[]>("window.long");
  const longest = Math.round(Math.max(0, ...long));
  process.stdout.write(
    `${LIVE_EVENTS} events, live: ${(tookMs / 1_000).toFixed(1)} s, ${long.length} tasks over 50 ms, the longest ${longest} ms\n`,
  );
  await browser.close();
}

const pages = await RunPages.open();
await measureFinished(pages);
if (needs.chromium.isMet()) await measureLive(pages);
await pages.close();
