// A router: a fixed path is taken for a parameter.

import type { FixTask } from "../task.ts";

export const routeOrder: FixTask = {
  kind: "bug_report",
  toolchain: "node",
  term: "match",
  prompt:
    "Bug report: `/users/new` opens the page of a user with the id `new`. Besides, `/users/7/` with a slash at the end is not found; it should be the same as `/users/7`. Fix both.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/router.mjs": `const routes = [
  ["/users/:id", "user"],
  ["/users/new", "newUser"],
  ["/", "home"],
];

/** The name of the route and its parameters; null where none matches. */
export function match(path) {
  for (const [pattern, name] of routes) {
    const params = paramsOf(pattern.split("/"), path.split("/"));
    if (params !== null) return { name, params };
  }
  return null;
}

function paramsOf(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const params = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = parts[at];
    else if (part !== parts[at]) return null;
  }
  return params;
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { match } from "./src/router.mjs";

assert.deepEqual(match("/users/7"), { name: "user", params: { id: "7" } });
assert.equal(match("/nowhere"), null);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { match } from "./src/router.mjs";

assert.equal(match("/users/new").name, "newUser");
assert.deepEqual(match("/users/7"), { name: "user", params: { id: "7" } });
assert.deepEqual(match("/users/7/"), { name: "user", params: { id: "7" } });
assert.equal(match("/users/new/").name, "newUser");
assert.equal(match("/").name, "home");
assert.equal(match("/nowhere"), null);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/router.mjs": `const routes = [
  ["/users/:id", "user"],
  ["/users/new", "newUser"],
  ["/", "home"],
];

/** The name of the route and its parameters; null where none matches. */
export function match(path) {
  const plain = path === "/" ? path : path.replace(/\\/$/, "");
  const fixedFirst = routes.toSorted(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")));
  for (const [pattern, name] of fixedFirst) {
    const params = paramsOf(pattern.split("/"), plain.split("/"));
    if (params !== null) return { name, params };
  }
  return null;
}

function paramsOf(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const params = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = parts[at];
    else if (part !== parts[at]) return null;
  }
  return params;
}
`,
  },
};
