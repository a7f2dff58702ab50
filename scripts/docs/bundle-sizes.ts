// The sizes of dist/ in docs/comparison.md, between two marks: the rest of that page is written by hand.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const DIST = join(import.meta.dirname, "../../dist");
const BEGIN = "<!-- sizes of dist/, written by npm run docs -->";
const END = "<!-- end -->";
/** As the bundler writes it. */
const STATIC_IMPORT = /(?:from|import) ?["'`]\.\/([\w.-]+\.mjs)["'`]/g;

/** The page with today's sizes. Throws where it lacks the marks. */
export function withBundleSizes(page: string): string {
  const [before, rest = "", ...more] = page.split(BEGIN);
  const at = rest.indexOf(END);
  if (before === undefined || at === -1 || more.length > 0) {
    throw new Error(`docs/comparison.md must have "${BEGIN}" once, and "${END}" behind it.`);
  }
  return `${before}${BEGIN}${sizesText()}${rest.slice(at)}`;
}

function sizesText(): string {
  const quiet = bytesOf(["main.cjs"]);
  const push = bytesOf(["main.cjs", "step.cjs", "later.cjs"]);
  const comment = bytesOf(["github.cjs", "octokit.cjs"]);
  // With the largest wire of a model.
  const embedded = bytesOf(loadedBy(["service.mjs", "api.mjs", "model.mjs", "responses.mjs"]));
  const all = bytesOf(readdirSync(DIST));
  return (
    `${rounded(quiet)} for a comment that asks nothing, ${rounded(push)} for a run; ` +
    `${rounded(comment)} more where GitHub's API is called, ${rounded(embedded)} more without a server; ` +
    `${rounded(all)} in all`
  );
}

/** These bundles, and those that they load at once. */
function loadedBy(names: readonly string[]): readonly string[] {
  const loaded = new Set(names);
  for (const name of loaded) {
    const code = readFileSync(join(DIST, name), "utf8");
    for (const [, imported = ""] of code.matchAll(STATIC_IMPORT)) loaded.add(imported);
  }
  return [...loaded];
}

function bytesOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(DIST, name)).size, 0);
}

/** Two digits that count, so that few changes of the code change it. */
function rounded(bytes: number): string {
  const digits = Number(bytes.toPrecision(2));
  return digits < 100_000 ? `${digits / 1000} kB` : `${digits / 1_000_000} MB`;
}
