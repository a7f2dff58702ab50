import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitise } from "../../../src/job/prompt/sanitise.ts";

const SECRET = "SECRET words";

describe("sanitise", () => {
  it.each([
    ["a comment", `a <!-- ${SECRET} --> b`],
    ["a comment over paragraphs", `a\n\n<!--\n\n${SECRET}\n\n-->\n\nb`],
    ["a comment without an end", `a\n<!-- ${SECRET}`],
    ["a comment without an end, in a line", `a <!-- ${SECRET}\n\nb`],
    ["a comment after an empty one", `<!--> <!-- ${SECRET} -->`],
    ["a comment after code", `\`a\` <!-- ${SECRET} -->`],
    ["a comment in a quotation", `> a\n> <!-- ${SECRET}\n> b -->\n> c`],
    ["a comment in quoted quotations", `> > > <!-- ${SECRET} -->`],
    ["a comment in a list", `- a\n  <!-- ${SECRET} -->`],
    ["a comment in preformatted text", `<pre>a<!-- ${SECRET} --></pre>`],
    ["a comment in a table", `| a |\n| - |\n| <!-- ${SECRET} --> |`],
    ["a comment in details", `<details><summary>a</summary><!-- ${SECRET} --></details>`],
    ["a processing instruction", `<? ${SECRET} ?>`],
    ["a declaration", `<!DOCTYPE ${SECRET}>`],
    ["CDATA", `<![CDATA[ ${SECRET} ]]>`],
    ["a definition that is no link", `[//]: # (${SECRET})`],
    ["a definition with a quoted title", `[comment]: <> "${SECRET}"`],
    ["a definition's label", `[${SECRET}]: https://example.com`],
    ["an image's alternative text", `![${SECRET}](https://example.com/a.png)`],
    ["an image's title", `![a](https://example.com/a.png "${SECRET}")`],
    ["an image by reference", `![${SECRET}][a]`],
    ["a link's title", `[a](https://example.com '${SECRET}')`],
    ["an image's attribute", `<img src="a.png" alt="${SECRET}">`],
    ["an attribute", `<div data-a="${SECRET}">b</div>`],
    ["the name of an element", "a <secret-SECRET> b"],
  ])("leaves out %s", (_what, text) => {
    expect(sanitise(text)).not.toContain("SECRET");
  });

  it.each([
    ["paragraphs and lists", "a\n\n- b\n- c\n\n1. d"],
    ["comparisons", "a < b and c > d, x <- y"],
    ["generic types", "Map<string, number>"],
    ["a comment in code", "`<!-- x -->`"],
    ["the content of a fence", '```html\n<!-- x -->\n<img alt="y">\n[//]: # (z)\n```'],
    ["a fence in a quotation", "> ```\n> <!-- x -->\n> ```\n> y"],
    ["quotations", "> a\n> b\n\nc"],
    ["links", "[a](https://example.com/b?c=d#e) <https://example.com>"],
    ["visible entities", "&lt;!-- x --&gt; &#65;"],
    ["emoji, joined and coloured", "👩‍💻 ❤️ ❤️‍🔥 1️⃣ 👩🏽‍🚀 🇩🇪"],
    ["every script", "Ünïcödé 漢字 עברית العربية हिन्दी"],
    ["a task", "- [x] done: yes"],
    ["brackets", "[a]: b is what I mean"],
    ["tags without attributes", "<details><summary>a</summary>b</details>"],
  ])("keeps %s", (_what, text) => {
    expect(sanitise(text)).toBe(text);
  });

  it("drops character references to invisible characters", () => {
    expect(sanitise("a&#xE0069;&#917607;&#x200b;&#8238;b&#x202E;")).toBe("ab");
  });

  const invisible = fc.oneof(
    fc.constantFrom(
      ..."\u00ad\u034f\u061c\u115f\u17b4\u180b\u200b\u200c\u200e\u200f\u2028\u2029\u202a\u202e",
    ),
    fc.constantFrom(
      ..."\u2060\u2064\u2066\u2069\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\0\u0007\u001b\u007f\u009b",
    ),
    fc.integer({ min: 0xe0000, max: 0xe0fff }).map((code) => String.fromCodePoint(code)),
  );

  it("removes every invisible character, and nothing else", () => {
    const part = fc.oneof(
      fc.constantFrom("word", " ", "\n\n", "漢字", "ünï", "...").map((text) => ({ text, isSeen: true })),
      invisible.map((text) => ({ text, isSeen: false })),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.map((one) => one.text).join("");
        const seen = parts.filter((one) => one.isSeen).map((one) => one.text);
        // U+001B begins a colour only before a bracket, which is not among the parts.
        expect(sanitise(text)).toBe(seen.join(""));
      }),
    );
  });

  it("passes on nothing hidden, wherever it is", () => {
    const hide = fc.constantFrom<(inner: string) => string>(
      (inner) => `<!-- ${inner} -->`,
      (inner) => `\n\n[//]: # (${inner})\n\n`,
      (inner) => `![${inner}](a.png)`,
      (inner) => `[a](b "${inner}")`,
      (inner) => `<span title="${inner}">`,
    );
    const frame = fc.constantFrom<(inner: string) => string>(
      (inner) => inner,
      (inner) => `a ${inner} b`,
      (inner) => inner.replaceAll(/^/gm, "> "),
      (inner) => `\`code\` ${inner} \`code\``,
      (inner) => `\n\n\`\`\`\ncode\n\`\`\`\n\n${inner}`,
      (inner) => `# ${inner}`,
    );
    fc.assert(
      fc.property(hide, fc.array(frame, { maxLength: 3 }), (hidden, frames) => {
        const text = frames.reduce((inner, put) => put(inner), hidden("SECRET"));
        expect(sanitise(text)).not.toContain("SECRET");
      }),
    );
  });

  it("is idempotent for any text without markup", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const plain = text.replaceAll(/[<>&[\]`~\\]/g, "");
        expect(sanitise(sanitise(plain))).toBe(sanitise(plain));
        expect(sanitise(text).isWellFormed()).toBe(true);
      }),
    );
  });
});
