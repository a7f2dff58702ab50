// Markdown of others as elements: what is understood, and that nothing of it becomes markup of the page.

import { describe, expect, it } from "vitest";
import { toHtml } from "../../../src/render/html/element.ts";
import { markdownElements } from "../../../src/render/html/markdown-elements.ts";

const html = (text: string) => toHtml(markdownElements(text));

describe("Markdown on a page", () => {
  it.each([
    ["a **b** _c_ ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <s>d</s> <code>e</code></p>"],
    ["# Title\ntext", '<p class="heading"><strong>Title</strong></p><p>text</p>'],
    ["- one\n- two\n  - three", "<ul><li>one</li><li><p>two</p><ul><li>three</li></ul></li></ul>"],
    ["3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'],
    ["- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>"],
    ["> quoted\n> more\n\nafter", "<blockquote><p>quoted\nmore</p></blockquote><p>after</p>"],
    ["```ts\na < b\n```\nafter", '<pre tabindex="0"><code>a &lt; b</code></pre><p>after</p>'],
    ["``a ` b``", "<p><code>a ` b</code></p>"],
    ["snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"],
    ["a **b", "<p>a **b</p>"],
    ["---", "<hr>"],
    [
      "| a | b |\n|---|:-:|\n| 1 | 2\\|3 |",
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2|3</td></tr></tbody></table></div>',
    ],
    [
      "see https://a.example/b?c=d&e.",
      '<p>see <a href="https://a.example/b?c=d&amp;e" rel="noopener noreferrer nofollow ugc">https://a.example/b?c=d&amp;e</a>.</p>',
    ],
    [
      '[x](https://a.example "t") ![pic](https://a.example/p.png)',
      '<p><a href="https://a.example/" rel="noopener noreferrer nofollow ugc">x</a> <a href="https://a.example/p.png" rel="noopener noreferrer nofollow ugc">pic</a></p>',
    ],
  ])("reads %j", (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example)",
    "[x](/settings/keys)",
    "[x](https://user:pw@evil.example)",
    "![x](javascript:alert(1))",
    '[x](https://a.example/"onmouseover="alert(1))',
    "`<script>`",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "| <script> | b |\n|---|---|\n| <img onerror=x> | y |",
    "<a href='javascript:alert(1)'>x</a>",
    "[<img src=x onerror=alert(1)>](https://a.example)",
    "https://a.example/<script>",
  ])("makes nothing of %j", (text) => {
    const shown = html(text);
    const tags = [...shown.matchAll(/<(\w+)([^>]*)>/g)];
    for (const [, tag = "", attributes = ""] of tags) {
      expect(["p", "code", "pre", "a", "div", "table", "thead", "tbody", "tr", "th", "td"]).toContain(tag);
      expect(attributes).toMatch(
        /^(?: tabindex="0"| class="\w+"| href="https:\/\/[^"<>]*"| rel="noopener noreferrer nofollow ugc")*$/,
      );
    }
  });

  it("shows what is hidden", () => {
    expect(html("a\u202Eb\u200Bc \u{E0041}")).toBe("<p>a‹U+202E›b‹U+200B›c ‹U+E0041›</p>");
  });

  it("bounds quotes and lists inside of others", () => {
    expect(html(`${"> ".repeat(1_000)}x`).match(/<blockquote>/g)).toHaveLength(5);
    expect(html(`${"- ".repeat(1_000)}x`).match(/<ul>/g)?.length).toBeLessThanOrEqual(5);
  });
});
