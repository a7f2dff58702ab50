import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/base/bounded-text.ts";
import { inertMarkdown } from "../../src/render/inert-markdown.ts";

function inert(markdown: string): string {
  return inertMarkdown(markdown, 100_000).text;
}

/** The lines outside fenced code. Throws when a fence does not close. */
function linesOutsideCode(markdown: string): string[] {
  const outside: string[] = [];
  let closer: RegExp | null = null;
  for (const line of markdown.split("\n")) {
    if (closer !== null) {
      if (closer.test(line)) closer = null;
      continue;
    }
    const run = /^[\s>*+\-\d.)]*(`{3,})[^`]*$/.exec(line)?.[1];
    if (run !== undefined) closer = new RegExp(`^[\\s>]*\`{${run.length},}$`);
    else outside.push(line);
  }
  expect(closer).toBeNull();
  return outside;
}

const hostileMarkdown = fc
  .array(
    fc.constantFrom(
      ..."`,``,```,~~~,\n,\n\n, ,    ,\t,> ,- ,1. ,# ,===,---,<!--,-->,<img src=x>,</details>,<,@user,\\".split(
        ",",
      ),
      ..."&#64;,&lt;,![,[,](,](<,](x),),]: ,[a]: ,[^1]: ,https://e.com/@user,<https://e.com>,!,| a |,x,*,é".split(
        ",",
      ),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

describe("inertMarkdown", () => {
  it.each([
    ["emphasis, lists, rules", "**a** _b_ ~~c~~\n\n- x\n  1. y\n\n> quote\n\n***"],
    ["tables", "| a | b |\n|---|--:|\n| 1 | 2 |"],
    ["links and addresses", "[a](https://a.example/x_(y)?b=1) https://b.example www.c.example"],
    ["plain definitions", "See [1].\n\n[1]: https://a.example/x"],
    ["fenced code", "```ts\nconst a = `<b>`; // @user <!--\n```"],
    ["fenced code in a list", "1. one\n\n   ```sh\n   npm ci\n\n   npm test\n   ```\n2. two"],
    ["fenced code in a quotation", "> ```\n> <b> @user\n> ```\n> after"],
    ["links to mail and places", "[a](mailto:octocat) [b](docs/a.md#x) [c](#d) [d](a/b:c)"],
    ["harmless entities", "a &amp; b &lt;c&gt; &nbsp;"],
    ["issue numbers and mail", "fixes #12, write to a@b.example"],
  ])("keeps %s", (_what, markdown) => {
    expect(inert(markdown)).toBe(markdown);
  });

  it.each([
    ["tags", "<b>x</b></details>", "&lt;b>x&lt;/b>&lt;/details>"],
    ["an open comment", "a <!-- b\n\nc", "a &lt;!-- b\n\nc"],
    ["a comment that its paragraph does not end", "a <!-- b\n\nc -->", "a &lt;!-- b\n\nc -->"],
    [
      "an image",
      "![a](https://e.example/p.png) ![](x) !![b](y)",
      "[a](https://e.example/p.png) [image](x) &#33;[b](y)",
    ],
    [
      "a mention",
      "@a, (@b/c) _@d_ \\@e",
      "<code>@a</code>, (<code>@b/c</code>) _<code>@d&#95;</code> <code>@e</code>",
    ],
    ["a mention behind an entity", "&#64;a &commat;b", "&amp;#64;a &amp;commat;b"],
    ["a mention in an address", "https://e.example/@a", "https://e.example/%40a"],
    ["a footnote or a hidden definition", "[^1]: x\n[a]: /b 'hidden'", "[^1]&#58; x\n[a]&#58; /b 'hidden'"],
    ["backticks that pair with nothing", "a ` b ``` c", "a &#96; b &#96;&#96;&#96; c"],
    ["a link that might end elsewhere", "[a](b c", "[a]&#40;b c"],
    [
      "a link that executes",
      "[a](javascript:alert(1)) [b](JaVa\tScript:x)",
      "[a]&#40;<code>javascript:alert(1)</code>&#41; [b]&#40;JaVa\tScript:x)",
    ],
    [
      "a link with data",
      "[a](data:text/html,x) [b](<vbscript:x>)",
      "[a]&#40;<code>data:text/html,x</code>&#41; [b]&#40;<code>vbscript:x</code>&#41;",
    ],
    [
      "mathematics",
      "$x$ and $$\\frac{a}{b}$$ \\$y$ 5 $",
      "&#36;x&#36; and &#36;&#36;\\frac{a}{b}&#36;&#36; &#36;y&#36; 5 &#36;",
    ],
    ["mathematics in an address", "[a](https://e.example/$x$)", "[a](https://e.example/%24x%24)"],
    ["a drawn diagram", "```mermaid\ngraph\n```", "```\ngraph\n```"],
    ["drawn mathematics", "~~~ Math\nx\n~~~", "```\nx\n```"],
    ["a suggestion to apply", "```suggestion\nx\n```", "```\nx\n```"],
    ["an autolink", "see<https://e.example>", "see https://e.example"],
    ["a title above its underline", "x\ny\n===", "x\ny\n\\==="],
  ])("defuses %s", (_what, markdown, text) => {
    expect(inert(markdown)).toBe(text);
  });

  it.each([
    ["a comment", "a <!-- b --> c<!-- d -->e", "a  c e"],
    ["a comment of many lines", "a\n\n<!-- b\n\nc -->\n\nd", "a\n\n\nd"],
    ["a comment inside a paragraph", "a <!-- b\nc --> d", "a \n d"],
    ["the definition that serves as a comment", "a\n\n[//]: # (b)\n[comment]: <> (c)\n\nd", "a\n\n\nd"],
    ["a link's title", "[a](b 'c')", "[a](b)"],
  ])("drops %s", (_what, markdown, text) => {
    expect(inert(markdown)).toBe(text);
  });

  it("keeps a comment's marks where they are code", () => {
    expect(inert("`<!--` x `-->`")).toBe("<code>&lt;!--</code> x <code>--&gt;</code>");
  });

  it("does not join the text around what it drops", () => {
    expect(inert("!<!-- -->[a](b)")).toBe("! [a](b)");
    expect(inert("@<!-- -->user")).toBe("@ user");
    expect(inert("<!-- -->~~~")).toBe("&#126;&#126;&#126;");
  });

  it("takes headings down by two levels", () => {
    expect(inert("# a\n##### b\n> ## c\n#d")).toBe("### a\n###### b\n> #### c\n#d");
    expect(inert("Title\n===\n\nPart\n---\n\nx")).toBe("### Title\n\n### Part\n\nx");
  });

  it("closes a fence that never closes", () => {
    expect(inert("a\n```js\n<b>")).toBe("a\n```js\n<b>\n```");
    expect(inert("~~~\n```\nx")).toBe("````\n```\nx\n````");
  });

  it("moves an indented fence to the margin", () => {
    expect(inert("- a\n  - b\n\n    ```js\n    <c>\n    ```")).toBe("- a\n  - b\n\n```js\n<c>\n```");
  });

  it("cuts between lines and closes what it cut", () => {
    expect(inertMarkdown("one\ntwo\nthree", 9)).toEqual({ text: "one\ntwo", wasCut: true });
    expect(inertMarkdown("a\n```\nb\nccccccc\n```", 13)).toEqual({ text: "a\n```\nb\n```", wasCut: true });
    expect(inertMarkdown("one\ntwo", 8)).toEqual({ text: "one\ntwo", wasCut: false });
  });

  it("cuts a single line between characters", () => {
    expect(inertMarkdown("😀😀😀", 10)).toEqual({ text: "😀😀", wasCut: true });
  });

  it("leaves no hidden text, image, mention or unclosed block", () => {
    fc.assert(
      fc.property(hostileMarkdown, fc.integer({ min: 0, max: 2_000 }), (markdown, maxBytes) => {
        const { text } = inertMarkdown(markdown, maxBytes);
        expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
        for (const line of linesOutsideCode(text)) {
          expect(line).not.toContain("`");
          expect(line).not.toMatch(/^[\s>*+\-\d.)]*~~~/);
          expect(line).not.toMatch(/<(?!\/?code>)/);
          expect(line.match(/<code>/g)?.length).toBe(line.match(/<\/code>/g)?.length);
          expect(line).not.toContain("![");
          const shown = line.replaceAll(/<code>.*?<\/code>/g, "<>");
          expect(shown).not.toMatch(/(?<![A-Za-z0-9])@[A-Za-z0-9]/);
          expect(shown).not.toMatch(/&(?:#64|commat);/);
          expect(shown).not.toMatch(/^ {0,3}#{1,2}(?:\s|$)/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
