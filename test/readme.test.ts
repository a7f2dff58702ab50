import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReadme, withTables } from "../scripts/readme.ts";
import { settings } from "../src/service/settings/config.ts";
import { readManifestSection } from "./support/action-manifest.ts";

const root = join(import.meta.dirname, "..");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];

describe("the README", () => {
  it("has the tables that npm run readme writes", () => {
    expect(readReadme()).toBe(withTables(readReadme()));
  });

  it("names every input, output and setting", () => {
    const names = [
      ...Object.keys(readManifestSection("inputs")),
      ...Object.keys(readManifestSection("outputs")),
      ...Object.keys(settings),
    ];
    expect(names.filter((name) => !readReadme().includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("gives the same tables on every machine", () => {
    expect(withTables(readReadme())).toContain("| one a processor, at least 4 |");
  });

  it("refuses a text without a table's markers", () => {
    expect(() => withTables("# Title\n")).toThrow("README.md needs one table between");
  });
});

describe("links to files of this repository", () => {
  it.each(pages)("%s leads to files that exist", (page) => {
    const targets = [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^https?:/.test(target) && !target.endsWith("summary.png"));
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });
});
