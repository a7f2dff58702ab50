// The colours of a page's diffs: its text is the same with and without them, whatever is in it, and there are bounds.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Element, el, type HtmlNode, toHtml } from "../../../../../src/render/html/element.ts";
import { changesSection } from "../../../../../src/render/run-page/changes-section.ts";
import { diffLines } from "../../../../../src/render/run-page/diff/diff-lines.ts";
import type { PatchLine } from "../../../../../src/render/run-page/diff/patch-files.ts";
import {
  MAX_COLOURED_LINE_CHARS,
  MAX_PAGE_CHARS,
  MAX_PAGE_SPANS,
  openDiffColours,
} from "../../../../../src/render/run-page/diff/syntax/diff-colours.ts";

const line = (kind: PatchLine["kind"], text: string): PatchLine => ({ kind, text, oldLine: 1, newLine: 1 });
const hunk = line("hunk", "@@ -1 +1 @@");
const drawn = (path: string, lines: readonly PatchLine[]) => diffLines(lines, openDiffColours()(path));
const codesIn = (html: string) => [...html.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code);

/** The same elements, without those that give a colour. */
function withoutColours(node: HtmlNode): readonly HtmlNode[] {
  if (typeof node === "string") return [node];
  const inside = joined(node.children.flatMap(withoutColours));
  const isColour = node.tag === "span" && /^[csnkf]$/.test(String(node.attributes.class));
  return isColour ? inside : [{ ...node, children: inside }];
}

function joined(nodes: readonly HtmlNode[]): readonly HtmlNode[] {
  const all: HtmlNode[] = [];
  for (const node of nodes) {
    const last = all.at(-1);
    if (typeof node === "string" && typeof last === "string") all[all.length - 1] = last + node;
    else all.push(node);
  }
  return all;
}

const bare = (elements: readonly Element[]) => toHtml(joined(elements.flatMap(withoutColours)));

describe("the colours of a diff", () => {
  it("are around the words that differ, within them, and across their ends", () => {
    const html = toHtml(
      drawn("a.ts", [hunk, line("removed", 'f("one two");'), line("added", 'f("one six");')]),
    );
    expect(codesIn(html)).toEqual([
      '<span class="f">f</span>(<span class="s">&quot;one </span><mark><span class="s">two</span></mark><span class="s">&quot;</span>);',
      '<span class="f">f</span>(<span class="s">&quot;one </span><mark><span class="s">six</span></mark><span class="s">&quot;</span>);',
    ]);
  });

  it("go on in the version in which a comment is open, and no further than the place", () => {
    const lines = [
      hunk,
      line("removed", "/* a"),
      line("added", "b"),
      line("same", "return"),
      hunk,
      line("same", "return"),
    ];
    const [removed, added, same, copy, after] = codesIn(toHtml(drawn("a.ts", lines)));
    expect([removed, added]).toEqual(['<span class="c">/* a</span>', "b"]);
    expect([same, copy, after]).toEqual(Array(3).fill('<span class="k">return</span>'));
  });

  it("know a place that begins in the middle of a comment", () => {
    const lines = [hunk, line("same", " * it returns"), line("same", " */"), line("added", "return")];
    const codes = codesIn(toHtml(drawn("a.ts", lines)));
    expect(codes.at(0)).toBe('<span class="c"> * it returns</span>');
    expect(codes.at(-1)).toBe('<span class="k">return</span>');
  });

  it("change no text and no other element, whatever the lines are", () => {
    const paths = fc.constantFrom(
      ..."ts py go rs c cs java swift php rb sh mk yml toml json css sql html"
        .split(" ")
        .map((end) => `a.${end}`),
    );
    const pieces = fc.constantFrom(
      ...[
        "'",
        '"',
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "<!--",
        "-->",
        "<a",
        "</",
        ">",
        "\\",
        "${",
        "return ",
        "if(",
        "x:",
        "0.5",
        " ",
        "\t",
      ],
      ...[
        "\r",
        "\x1b[31m",
        "\u202e",
        "\u{1f600}",
        "\ud83d",
        "\ude00",
        "\u200d",
        "é",
        "&amp;",
        "<script>",
        "\u{e0041}",
      ],
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }).map((one) => one.replaceAll("\n", "")),
      fc.array(pieces, { maxLength: 15 }).map((all) => all.join("")),
    );
    const kind = fc.constantFrom<PatchLine["kind"]>("added", "removed", "same", "hunk", "note");
    const lines = fc.array(fc.record({ kind, text, oldLine: fc.constant(1), newLine: fc.constant(1) }), {
      maxLength: 8,
    });
    let colored = 0;
    fc.assert(
      fc.property(paths, lines, (path, all) => {
        const plain = diffLines(all, null);
        const shown = drawn(path, all);
        if (toHtml(shown) !== toHtml(plain)) colored += 1;
        expect(bare(shown)).toBe(bare(plain));
        expect(bare(plain)).toBe(toHtml(plain));
      }),
      { numRuns: 10_000 },
    );
    expect(colored).toBeGreaterThan(3_000);
  }, 120_000);

  it("end where a line, a file or the page is too large, and nothing else is different", () => {
    const spans = (colours: ReturnType<typeof openDiffColours>, path: string, text: string) =>
      colours(path)?.spansOf("added", text).length;
    expect(spans(openDiffColours(), "a.ts", `/*${"x".repeat(MAX_COLOURED_LINE_CHARS - 2)}`)).toBe(1);
    expect(spans(openDiffColours(), "a.ts", `/*${"x".repeat(MAX_COLOURED_LINE_CHARS - 1)}`)).toBe(0);
    const page = openDiffColours();
    const long = `return ${"x".repeat(MAX_COLOURED_LINE_CHARS - 7)}`;
    let [files, lines] = [0, 0];
    for (; files < 100 && spans(page, "a.ts", long) === 1; files += 1) {
      const file = page("a.ts");
      for (lines += 1; file?.spansOf("added", long).length === 1; ) lines += 1;
    }
    expect(files).toBeGreaterThan(1);
    expect(lines * long.length).toBeLessThanOrEqual(MAX_PAGE_CHARS);
    const dense = openDiffColours();
    const found = Array.from({ length: 300 }, () => spans(dense, "a.ts", "0 ".repeat(100)) ?? 0);
    const sum = found.reduce((all, one) => all + one, 0);
    expect(sum).toBeGreaterThanOrEqual(MAX_PAGE_SPANS);
    expect(sum).toBeLessThan(MAX_PAGE_SPANS + MAX_COLOURED_LINE_CHARS);
  });

  it("are those of the new name of a file, and none where the page asks for none", () => {
    const changes = {
      base_sha: "1".repeat(40),
      files: [{ path: "new.ts", status: "renamed" as const, additions: 1, deletions: 1 }],
      patch:
        "diff --git a/old.txt b/new.ts\nrename from old.txt\nrename to new.ts\n@@ -1 +1 @@\n-if\n+else\n",
    };
    const place = { base: "/run", filesUrl: null };
    const html = toHtml(changesSection(changes, { ...place, colours: openDiffColours() }));
    expect(html).toContain('<span class="k">else</span>');
    expect(toHtml(changesSection(changes, place))).not.toContain('class="k"');
    expect(toHtml(el("p", {}, changes.patch))).toContain("else");
  });
});
