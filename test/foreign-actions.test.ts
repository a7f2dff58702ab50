// Whatever tells a reader to use an action of others names the version and the commit of scripts/foreign-actions.ts.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignActions } from "../scripts/foreign-actions.ts";

const root = join(import.meta.dirname, "..");
const places = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs",
  "examples",
  ".github",
  "src",
  "deploy",
];
/** Pinned as a workflow pins them, or by the major alone in a sentence. */
const use = /\b(actions\/[a-z-]+|[\w.-]+\/[\w.-]+)@([0-9a-f]{40}|v\d+(?:\.\d+)*|<commit>)(?: # (v[\d.]+))?/g;

type Use = {
  readonly where: string;
  readonly action: string;
  readonly ref: string;
  readonly comment: string;
};

function usesIn(path: string): Use[] {
  return readFileSync(join(root, path), "utf8")
    .split("\n")
    .flatMap((text, at) =>
      [...text.matchAll(use)]
        .filter(() => /uses: |CHECKOUT = /.test(text))
        .map(([, action = "", ref = "", comment = ""]) => ({
          where: `${path}:${at + 1}`,
          action,
          ref,
          comment,
        })),
    )
    .filter(({ action }) => !action.endsWith("/agent-service"));
}

describe("the actions of others", () => {
  const files = execFileSync("git", ["ls-files", "--", ...places], { cwd: root, encoding: "utf8" });
  const uses = files
    .split("\n")
    .filter((path) => /\.(md|ya?ml|ts)$/.test(path))
    .flatMap(usesIn);

  it("are those of the table, at its commits, with its versions", () => {
    const wrong = uses.filter(({ action, ref, comment }) => {
      const known = foreignActions[action];
      if (known === undefined) return true;
      if (/^v\d+$/.test(ref)) return !known.version.startsWith(`${ref}.`);
      return ref !== known.commit || comment !== known.version;
    });
    expect(wrong).toEqual([]);
  });

  it("are all used: the table has no other", () => {
    expect([...new Set(uses.map(({ action }) => action))].sort()).toEqual(Object.keys(foreignActions));
    expect(uses.length).toBeGreaterThanOrEqual(25);
  });

  it("run on a Node that GitHub's runners have", () => {
    expect(Object.values(foreignActions).filter(({ runtime }) => runtime !== "node24")).toEqual([]);
  });
});
