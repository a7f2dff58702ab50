// Figures of a run's page: `node test/support/measure-run-page.ts`, after `npm run build`. What the page of a finished run
// costs, and how a page in Chromium keeps up with a run in flight. Nothing is asserted: machines differ.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { CDPSession, Page } from "playwright-core";
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
const LONG_TASK_MS = 50;
/** Within the page, by one observer: a locator that waits reads the whole page again and again, in tasks of its own. */
const untilEnded = `new Promise((resolve) => {
  const look = () => document.getElementById("status").textContent.startsWith("The run has ended") && resolve();
  new MutationObserver(look).observe(document.getElementById("status"), { childList: true, characterData: true, subtree: true });
  look();
})`;

const source = readFileSync(new URL("../../src/service/core/runs/submit-run.ts", import.meta.url), "utf8");

type Task = { readonly ms: number; readonly cpuMs: number };
type TraceEvent = {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

/** The tasks of the threads that execute pages, by Chromium's own trace. */
class TaskTrace {
  readonly #cdp: CDPSession;
  readonly #events: TraceEvent[] = [];

  static async start(page: Page): Promise<TaskTrace> {
    const trace = new TaskTrace(await page.context().newCDPSession(page));
    const traceConfig = { includedCategories: ["toplevel"] };
    await trace.#cdp.send("Tracing.start", { traceConfig, transferMode: "ReportEvents" });
    return trace;
  }

  private constructor(cdp: CDPSession) {
    this.#cdp = cdp;
    cdp.on("Tracing.dataCollected", ({ value }) => this.#events.push(...(value as unknown as TraceEvent[])));
  }

  async end(): Promise<readonly Task[]> {
    const complete = new Promise((resolve) => this.#cdp.once("Tracing.tracingComplete", resolve));
    await this.#cdp.send("Tracing.end");
    await complete;
    const named = this.#events.filter(({ ph, name }) => ph === "M" && name === "thread_name");
    const ofPages = new Set(
      named.filter(({ args }) => args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`),
    );
    return this.#events
      .filter(({ name, pid, tid }) => name.endsWith("RunTask") && ofPages.has(`${pid} ${tid}`))
      .map(({ dur = 0, tdur = 0 }) => ({ ms: dur / 1_000, cpuMs: tdur / 1_000 }));
  }
}

function longOf(times: readonly number[]): string {
  const long = times.filter((ms) => ms > LONG_TASK_MS).length;
  return `${long} over ${LONG_TASK_MS} ms, the longest ${Math.round(Math.max(0, ...times))} ms`;
}

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
  const trace = await TaskTrace.start(page);
  await page.goto(`${pages.url}${run.path}?view=${run.token}`);
  await page.getByText("Live", { exact: true }).waitFor();
  const startedAt = performance.now();
  goOn.resolve();
  await page.evaluate(untilEnded);
  const tookMs = performance.now() - startedAt;
  const tasks = await trace.end();
  const lines = [
    `${LIVE_EVENTS} events, live: ${(tookMs / 1_000).toFixed(1)} s`,
    `tasks by their processor time: ${longOf(tasks.map(({ cpuMs }) => cpuMs))}`,
    `with the waiting for a processor: ${longOf(tasks.map(({ ms }) => ms))}`,
  ];
  process.stdout.write(`${lines.join("; ")}\n`);
  await browser.close();
}

const pages = await RunPages.open();
await measureFinished(pages);
if (needs.chromium.isMet()) await measureLive(pages);
await pages.close();
