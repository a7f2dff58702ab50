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
    const code = sourcesOf("src", "scripts");
    const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path));
    expect(
      decisions.filter((path) => !code.some((text) => text.includes(path.slice(0, path.indexOf("-"))))),
    ).toEqual([]);
  });

  it("lead from the code to decisions that there are", () => {
    const named = sourcesOf("src", "scripts", "test", "bench", "fakes").flatMap((text) => [
      ...[...text.matchAll(/docs\/(decisions\/\d{3})\b/g)].map(([, start = ""]) => start),
      ...[...text.matchAll(/\b\d{3}-[a-z][a-z0-9-]*\.md\b/g)].map(([name]) => `decisions/${name}`),
    ]);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((start) => !documents.some((path) => path.startsWith(`docs/${start}`)))).toEqual([]);
  });

  it.each(documents)("of %s lead to the decision that their text names", (document) => {
    expect(misnamedDecisions(readPage(document))).toEqual([]);
  });

  it("show a text that names another decision, or one that there is not", () => {
    const text =
      "See [decision 129](docs/decisions/130-a-row-is-defined-once.md), [002](002-balances-beside-postings.md) and decision 999.";
    expect(misnamedDecisions(text)).toEqual([
      "129 leads to docs/decisions/130-a-row-is-defined-once.md",
      "999 is no decision",
    ]);
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

/** The text of each source in these folders. */
function sourcesOf(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readPage(`${folder}/${name}`)),
  );
}

/** Links of "decision 000" or "000" to another one, and decisions that are named and not there. */
function misnamedDecisions(markdown: string): string[] {
  const links = [...markdown.matchAll(/\[(?:decision )?(\d{3})\]\(([^)\s]+)\)/gi)]
    .filter(([, number = "", target = ""]) => !target.split("/").at(-1)?.startsWith(`${number}-`))
    .map(([, number, target]) => `${number} leads to ${target}`);
  const unknown = [...markdown.matchAll(/\bdecision (\d{3})\b/gi)]
    .map(([, number = ""]) => number)
    .filter((number) => !documents.some((path) => path.startsWith(`docs/decisions/${number}-`)))
    .map((number) => `${number} is no decision`);
  return [...links, ...unknown];
}

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
