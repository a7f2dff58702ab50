import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffstat, escapeMarkdown, fence, inlineCode, link } from "../../src/render/markdown.ts";

/** Reads a fenced block as CommonMark does. Null when it is not one block from the first line to the last. */
function unfence(block: string): string | null {
  const lines = block.split("\n");
  const run = /^(`{3,})([^`]*)$/.exec(lines[0] ?? "")?.[1];
  if (run === undefined) return null;
  const end = lines.findIndex(
    (line, index) => index > 0 && new RegExp(`^ {0,3}\`{${run.length},}[ \\t]*$`).test(line),
  );
  return end === lines.length - 1 ? lines.slice(1, -1).join("\n") : null;
}

describe("fence", () => {
  it("keeps any text as it is", () => {
    const text = fc
      .array(fc.constantFrom("`", "```", "`````", "\n", " ", "~~~", "x"))
      .map((all) => all.join(""));
    fc.assert(fc.property(text, (inside) => unfence(fence(inside, "js")) === inside));
  });

  it.each([3, 4, 12])("is longer than %i backticks inside", (count) => {
    expect(fence("`".repeat(count)).split("\n")[0]).toBe("`".repeat(count + 1));
  });

  it("accepts one plain word as a language and nothing else", () => {
    expect(fence("x", "c++")).toBe("```c++\nx\n```");
    for (const info of ["a b", "`", "\n", "x{", ""]) expect(fence("x", info)).toBe("```\nx\n```");
  });
});

describe("inlineCode", () => {
  it("leaves no Markdown and no HTML", () => {
    expect(inlineCode("a|`b`<c> *d* _e_ [f] \\ $g$ &amp; https://h")).toBe(
      "<code>a&#124;&#96;b&#96;&lt;c&gt; &#42;d&#42; &#95;e&#95; &#91;f&#93; &#92; &#36;g&#36; &amp;amp; https&#58;//h</code>",
    );
    expect(inlineCode("a\nb")).toBe("<code>a b</code>");
  });
});

describe("escapeMarkdown", () => {
  it.each([
    [
      "@everyone and a@user@b, _@c_",
      "<code>@everyone</code> and <code>a@user@b</code>, <code>&#95;@c&#95;</code>",
    ],
    ["fixes #12, o/r#3, GH-4", "fixes <code>#12</code>, <code>o/r#3</code>, <code>GH-4</code>"],
    ["a | b", "a &#124; b"],
    ["# not a heading", "&#35; not a heading"],
    ["1. not a list", "&#49;. not a list"],
    ["- nor this", "&#45; nor this"],
    ["<img> <!-- `x` **y** [z](u)", "&lt;img&gt; &lt;!-- &#96;x&#96; &#42;&#42;y&#42;&#42; &#91;z&#93;(u)"],
    ["two\nlines", "two lines"],
    ["plain-words, 10.5 % and more", "plain-words, 10.5 % and more"],
  ])("makes text of %j", (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe("link", () => {
  it("links http and https addresses only", () => {
    expect(link("the run", "https://a.example/x?y=1")).toBe("[the run](https://a.example/x?y=1)");
    expect(link("[a](b)", "https://a.example/(x) y")).toBe("[&#91;a&#93;(b)](https://a.example/%28x%29%20y)");
    for (const url of [
      "javascript:alert(1)",
      "data:text/html,x",
      "/relative",
      "https://",
      "",
      "x".repeat(9_000),
    ]) {
      expect(link("text", url)).toBe("text");
    }
  });
});

describe("diffstat", () => {
  it.each([
    [0, 0, "+0 −0 ⬜⬜⬜⬜⬜"],
    [1, 0, "+1 −0 🟩⬜⬜⬜⬜"],
    [12, 3, "+12 −3 🟩🟩🟩🟩🟥"],
    [0, 900, "+0 −900 🟥🟥🟥🟥🟥"],
  ])("shows %i added and %i deleted", (additions, deletions, shown) => {
    expect(diffstat(additions, deletions)).toBe(shown);
  });
});
