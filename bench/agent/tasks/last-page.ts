// Pages of a list: the last one cannot be reached.

import type { FixTask } from "../task.ts";

export const lastPage: FixTask = {
  kind: "bug_report",
  toolchain: "node",
  term: "pageOf",
  prompt:
    "A user reports: with 21 articles and 10 a page, the list shows two pages, and the last article cannot be reached. Find the cause and fix it.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/page-of.mjs": `/** One page, the first is 1. \`pages\` counts the last one too where it is not full. */
export function pageOf(items, page, size) {
  const from = (page - 1) * size;
  return { items: items.slice(from, from + size), pages: Math.floor(items.length / size) };
}
`,
    "src/article-list.mjs": `import { pageOf } from "./page-of.mjs";

export function articleList(articles, page) {
  const { items, pages } = pageOf(articles, page, 10);
  return { titles: items.map(({ title }) => title), hasNext: page < pages };
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { articleList } from "./src/article-list.mjs";

const articles = Array.from({ length: 20 }, (_, at) => ({ title: \`Article \${at}\` }));
assert.equal(articleList(articles, 1).hasNext, true);
assert.equal(articleList(articles, 2).hasNext, false);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { articleList } from "./src/article-list.mjs";
import { pageOf } from "./src/page-of.mjs";

const articles = Array.from({ length: 21 }, (_, at) => ({ title: \`Article \${at}\` }));
assert.equal(articleList(articles, 2).hasNext, true);
assert.deepEqual(articleList(articles, 3), { titles: ["Article 20"], hasNext: false });
assert.equal(pageOf([], 1, 10).pages, 0);
assert.equal(pageOf(articles.slice(1), 1, 10).pages, 2);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/page-of.mjs": `/** One page, the first is 1. \`pages\` counts the last one too where it is not full. */
export function pageOf(items, page, size) {
  const from = (page - 1) * size;
  return { items: items.slice(from, from + size), pages: Math.ceil(items.length / size) };
}
`,
  },
};
