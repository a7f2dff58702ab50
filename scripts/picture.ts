// npm run picture: draws docs/summary.png and docs/comment.png from a job that is played for them; --dark adds the dark
// ones. Needs a build, a Chromium, and packages that it names where they are missing; --modules <folder> has them.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { findBrowser, openBrowser } from "./picture-browser.ts";
import { findPainter, summaryPage, threadPage } from "./picture-page.ts";
import { playJob, request } from "./picture-story.ts";

const WIDTH = 900;
const root = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: { modules: { type: "string" }, out: { type: "string" }, dark: { type: "boolean" } },
});
const docs = values.out ?? join(root, "docs");

try {
  await draw();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function draw(): Promise<void> {
  // What is missing is said before the job is played.
  const painter = await findPainter(resolve(values.modules ?? root));
  const program = await findBrowser(process.env);
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "agent-service-picture-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { summary, comment } = await playJob(folder);
  const pages = {
    summary: summaryPage(painter, summary),
    comment: threadPage(painter, { request, answer: comment }),
  };
  const browser = await openBrowser(program, join(folder, "profile"));
  opened.defer(() => browser.close());
  await mkdir(docs, { recursive: true });
  for (const [name, html] of Object.entries(pages)) {
    const path = join(folder, `${name}.html`);
    await writeFile(path, html);
    for (const isDark of values.dark === true ? [false, true] : [false]) {
      const png = await browser.shoot({
        url: pathToFileURL(path).href,
        selector: "main",
        isDark,
        width: WIDTH,
      });
      const file = join(docs, `${name}${isDark ? "-dark" : ""}.png`);
      await writeFile(file, png);
      process.stdout.write(`${file}: ${Math.ceil(png.length / 1000)} kB\n`);
    }
  }
}
