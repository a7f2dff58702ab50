// A small npm project whose test says whether its sum is right. Without dependencies, so that npm needs no network.

const settings = "audit=false\nfund=false\noffline=true\nupdate-notifier=false\n";
const manifest = { name: "octo-repo", version: "1.0.0" };

/** What a broken one prints can be anything. */
export function npmProject({
  isBroken,
  printed = "",
}: {
  isBroken: boolean;
  printed?: string;
}): Record<string, string> {
  return {
    ".npmrc": settings,
    "package.json": JSON.stringify({ ...manifest, type: "module", scripts: { test: "node sum.test.mjs" } }),
    "package-lock.json": JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { "": manifest } }),
    "sum.mjs": `export const sum = (a, b) => a ${isBroken ? "-" : "+"} b;\n`,
    "sum.test.mjs": [
      'import assert from "node:assert/strict";',
      'import { sum } from "./sum.mjs";',
      `console.log(${JSON.stringify(printed)});`,
      'assert.equal(sum(2, 3), 5, "2 and 3 make 5");',
      "",
    ].join("\n"),
  };
}
