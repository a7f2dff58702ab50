// npm run picture: draws docs/summary.png, docs/comment.png and docs/run.png from a job that is played for them; --dark adds
// the dark ones. Needs a build, a Chromium, and packages that it names where they are missing; --modules <folder> has them.
// --runs draws those of docs/durable-runs: runs that were taken up, answered, raised and forked.
// --all draws every way that a job can end, as <story>-summary.png and <story>-comment.png, into --out <folder>; --text
// writes their Markdown instead, and needs no browser.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { findBrowser, openBrowser } from "./picture-browser.ts";
import { findPainter, logPage, type Painter, summaryPage, threadPage } from "./picture-page.ts";
import { playRun, runStoryNames } from "./picture-runs.ts";
import { type Played, playJob, type StoryName, storyNames } from "./picture-story.ts";

const WIDTH = 900;
/** A run's page is long: the picture shows how it begins. */
const MAX_HEIGHT = 1_200;
const MAX_RUN_HEIGHT = 900;
const root = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    modules: { type: "string" },
    out: { type: "string" },
    dark: { type: "boolean" },
    all: { type: "boolean" },
    runs: { type: "boolean" },
    text: { type: "boolean" },
  },
});
const out = values.out ?? join(root, values.runs === true ? "docs/durable-runs" : "docs");

try {
  if ((values.all === true || values.text === true) && values.out === undefined) {
    throw new Error("--all and --text need --out <folder>: docs/ has the pictures of one story.");
  }
  await mkdir(out, { recursive: true });
  if (values.text === true) await writeText();
  else if (values.runs === true) await drawRuns();
  else await draw();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function writeText(): Promise<void> {
  for await (const { name, played } of play()) {
    await writeFile(join(out, `${name}-summary.md`), played.summary);
    await writeFile(join(out, `${name}-comment.md`), played.comment);
    process.stdout.write(`${name}: ${played.summary.split("\n")[0]}\n`);
  }
}

async function draw(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { painter, folder, browser } = await openTools(opened);
  for await (const { name, played } of play()) {
    const written = await writePages(join(folder, name), pagesOf(painter, played));
    const pages = played.runUrl === "" ? written : { ...written, run: played.runUrl };
    for (const [page, url] of Object.entries(pages)) {
      for (const isDark of values.dark === true ? [false, true] : [false]) {
        const png = await browser.shoot({
          url,
          selector: "main",
          isDark,
          width: WIDTH,
          maxHeight: MAX_HEIGHT,
        });
        const prefix = values.all === true ? `${name}-` : "";
        const file = join(out, `${prefix}${page}${isDark ? "-dark" : ""}.png`);
        await writeFile(file, png);
        process.stdout.write(`${file}: ${Math.ceil(png.length / 1000)} kB\n`);
      }
    }
  }
}

/** What is missing is said before anything is played. */
async function openTools(opened: AsyncDisposableStack) {
  const painter = await findPainter(resolve(values.modules ?? root));
  const program = await findBrowser(process.env);
  const folder = await temporaryFolder(opened);
  const browser = await openBrowser(program);
  opened.defer(() => browser.close());
  return { painter, folder, browser };
}

/** Runs that outlive their process: of each its page and its log, and what its last job wrote. */
async function drawRuns(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { painter, folder, browser } = await openTools(opened);
  for (const name of runStoryNames) {
    await using played = await playRun(join(folder, name), name);
    const { log, summary, comment, request, runUrl, cookie } = played;
    const ofJob = {
      summary: summaryPage(painter, summary),
      comment: threadPage(painter, { request, answer: comment }),
    };
    const texts = { log: logPage(painter, log), ...(summary === "" ? {} : ofJob) };
    const pages = { ...(await writePages(join(folder, name), texts)), run: runUrl };
    for (const [page, url] of Object.entries(pages)) {
      const shot = { url, selector: "main", isDark: false, width: WIDTH, maxHeight: MAX_RUN_HEIGHT };
      const png = await browser.shoot({ ...shot, cookie: page === "run" ? cookie : null });
      const file = join(out, `${name}-${page}.png`);
      await writeFile(file, png);
      process.stdout.write(`${file}: ${Math.ceil(png.length / 1000)} kB\n`);
    }
  }
}

/** The addresses of the pages, by their names. */
async function writePages(
  start: string,
  pages: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const [page, html] of Object.entries(pages)) {
    const path = `${start}-${page}.html`;
    await writeFile(path, html);
    urls[page] = pathToFileURL(path).href;
  }
  return urls;
}

/** One story, or with --all every one, each in a folder of its own. */
async function* play(): AsyncGenerator<{ name: StoryName; played: Played }> {
  await using opened = new AsyncDisposableStack();
  const folder = await temporaryFolder(opened);
  for (const name of values.all === true ? storyNames : storyNames.slice(0, 1)) {
    await using played = await playJob(join(folder, name), name);
    yield { name, played };
  }
}

function pagesOf(painter: Painter, { request, summary, comment }: Played): Record<string, string> {
  return {
    summary: summaryPage(painter, summary),
    comment: threadPage(painter, { request, answer: comment }),
  };
}

async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-picture-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
