// Every link of every document within the repository resolves, headings included, and the code names each decision.

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage } from "../scripts/docs.ts";

const root = join(import.meta.dirname, "..");
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  ),
];

describe("links", () => {
  it("are looked at in every document", () => {
    expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/README.md", "docs/ci/gitlab.md"]));
  });

  it.each(documents)("of %s lead to files and headings that exist", (document) => {
    const broken = linksOf(readPage(document)).filter((link) => !resolves(document, link));
    expect(broken).toEqual([]);
  });

  it("lead from the code to every decision", () => {
    const code = ["src", "scripts"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readPage(`${folder}/${name}`)),
    );
    const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path));
    expect(
      decisions.filter(
        (path) => !code.some((text) => text.includes(path.slice(0, "docs/decisions/000".length))),
      ),
    ).toEqual([]);
  });

  it("reach every document from the index, and every decision from its index", () => {
    const reached = new Set([
      ...targetsOf("docs/README.md"),
      ...targetsOf("docs/decisions/README.md"),
      ...targetsOf("README.md"),
    ]);
    const missed = documents.filter((path) => path.startsWith("docs/") && !reached.has(path));
    expect(missed).toEqual([]);
  });
});

/** Targets of links and images, without those in code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function targetsOf(document: string): string[] {
  return linksOf(readPage(document)).map((link) => pathOf(document, link));
}

function pathOf(document: string, link: string): string {
  const [path = ""] = link.split("#");
  return path === "" ? document : normalize(join(dirname(document), path)).replaceAll("\\", "/");
}

function resolves(document: string, link: string): boolean {
  const [, heading] = link.split("#");
  const path = pathOf(document, link);
  if (!existsSync(join(root, path))) return false;
  if (heading === undefined) return true;
  return statSync(join(root, path)).isFile() && anchorsOf(readPage(path)).has(heading);
}

/** The anchors that GitHub gives headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "");
  for (const [, title = ""] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = [...anchors].filter((anchor) => anchor === slug || isNumbered(anchor, slug)).length;
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function isNumbered(anchor: string, slug: string): boolean {
  return anchor.startsWith(`${slug}-`) && /^\d+$/.test(anchor.slice(slug.length + 1));
}
