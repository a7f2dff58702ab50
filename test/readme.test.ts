import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];

describe("links to files of this repository", () => {
  it.each(pages)("%s leads to files that exist", (page) => {
    const targets = [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^https?:/.test(target) && !target.endsWith("summary.png"));
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });
});
