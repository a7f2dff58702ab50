import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CommentCommand, commandVerbs, parseCommand } from "../../../src/github/trigger/command.ts";

const parse = (comment: string, phrase = "/agent") => parseCommand(comment, phrase);

/** Words and marks, with no line that could be read as a command or open something that hides one. */
const prose = fc
  .array(
    fc.constantFrom("please", "look", "at", "agent", "it's", "1.5", "(so)", "a/b", "ünï", "漢字", "🙂"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((words) => words.join(" "));
const blank = fc.constantFrom("\n", "\n\n", "\r\n\r\n");
const code = fc.constantFrom(
  "`",
  "``",
  "```js\n```\n",
  "~~~\n~~~\n",
  "[x]",
  "<b>",
  "<!-- no -->",
  "- a",
  "> b",
);

describe("a command", () => {
  it.each<[string, CommentCommand]>([
    ["/agent", { verb: null, request: "", preamble: "" }],
    ["/agent say why\n\n- and how", { verb: null, request: "say why\n\n- and how", preamble: "" }],
    ["Hello.\n\n/agent review\n", { verb: "review", request: "", preamble: "Hello." }],
    ["/agent FIX the build", { verb: "fix", request: "the build", preamble: "" }],
    ["/agent continue max-cost 5", { verb: "continue", request: "max-cost 5", preamble: "" }],
    ["/agent new start over", { verb: "new", request: "start over", preamble: "" }],
    ["/agent reviewers are who?", { verb: null, request: "reviewers are who?", preamble: "" }],
    ["/agent\nreview", { verb: null, request: "review", preamble: "" }],
    ["/agent explain\n```\nthis()\n```", { verb: null, request: "explain\n```\nthis()\n```", preamble: "" }],
  ])("is read from %j", (comment, command) => {
    expect(parse(comment)).toEqual(command);
  });

  it.each([
    ["three blanks before it", "   /agent x"],
    ["capitals", "/Agent x"],
    ["line ends of Windows", "hello\r\n/agent x\r\n"],
    ["a list before it", "- one\n- two\n\n/agent x"],
    ["a quotation that ends before", "> said\n\n/agent x"],
    ["a fence that ends before", "````\n```\n````\n/agent x"],
    ["a fence shown as indented code", "    ```\n\n/agent x"],
    ["a lone backtick", "it`s\n/agent x"],
    ["an HTML comment that ends before", "<!-- a\n\nb -->\n/agent x"],
    ["an escaped comment", "\\<!--\n/agent x"],
    ["a link that ends before", "[a](b)\n/agent x"],
    ["brackets far apart", "a [ b\n\n/agent x\n\nc ]"],
    ["details that fold it away", "<details>\n\n/agent x\n\n</details>"],
  ])("is found with %s", (_what, comment) => {
    expect(parse(comment)).toMatchObject({ verb: null, request: expect.stringMatching(/^x/) });
  });

  it.each([
    ["in the middle of a line", "please /agent x"],
    ["as part of a word", "/agents x"],
    ["as a path", "/agent/x"],
    ["in a URL", "https://example.com/agent x"],
    ["in a fence", "```\n/agent x\n```"],
    ["in a fence without an end", "~~~\n\n/agent x"],
    ["behind a longer fence's shorter run", "````\n```\n/agent x"],
    ["in a fence of a list", "- ```\n  /agent x\n  ```"],
    ["in a fence after a list's own has ended with it", "- ```\n  a\nb\n```\n/agent x\n```"],
    ["in a fence after a lazy line", "- foo\nlazy\n  ```\nbar\n```\n/agent x\n```"],
    ["in a code span over two lines", "`a\n/agent x`"],
    ["as indented code", "a\n\n    /agent x"],
    ["behind a tab", "\t/agent x"],
    ["in a quotation", "> /agent x"],
    ["in the lazy line of a quotation", "> said\n/agent x"],
    ["in the lazy line of a list's quotation", "- > said\n  /agent x"],
    ["in a fence behind a quotation", "> said\n```\n\n/agent x\n```"],
    ["in a comment", "<!--\n/agent x\n-->"],
    ["in a comment with a fence in it", "<!--\n```\n-->\n```\n/agent x\n```"],
    ["in a comment without an end", "<!--\n\n/agent x"],
    ["in a comment behind a quotation", "> said\n<!--\n\n/agent x\n-->"],
    ["in a processing instruction", "<?\n\n/agent x\n?>"],
    ["in a link's text", "[a\n/agent x](b)"],
    ["in a link's text behind code", "[a `b`\n/agent x](c)"],
    ["in a link around an image", "[![i](s)\n/agent x](b)"],
    ["in a link's address", "[a](\n/agent)"],
    ["as a link definition's address", "[a]:\n/agent"],
    ["in an attribute", '<a title="\n/agent x">b</a>'],
    ["in preformatted text", "<pre>\n\n/agent x\n</pre>"],
    ["in a quotation of HTML", "<blockquote>\n\n/agent x\n\n</blockquote>"],
    ["after an invisible character", "\u200b/agent x"],
    ["in a list", "- /agent x"],
  ])("is not found %s", (_what, comment) => {
    expect(parse(comment)).toBeNull();
  });

  it("begins with the workflow's own phrase, taken literally", () => {
    expect(parse("@bot fix it", "@bot")).toMatchObject({ verb: "fix", request: "it" });
    expect(parse("a.b x", "a.b")).not.toBeNull();
    expect(parse("acb x", "a.b")).toBeNull();
  });

  it("is found in its own line between any paragraphs", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(prose, blank)),
        fc.constantFrom(null, ...commandVerbs),
        prose,
        (before, verb, request) => {
          const preamble = before.flat().join("");
          const comment = `${preamble}\n/agent ${verb === null ? "" : `${verb} `}so ${request}\n`;
          expect(parse(comment)).toMatchObject({ verb, request: `so ${request}` });
        },
      ),
    );
  });

  it("is never found inside a fence, a quotation, a comment or a link, whatever is around them", () => {
    const hidden = fc.oneof(
      fc.tuple(fc.constantFrom("```", "~~~~", "`````"), prose, prose).map(([mark, before, after]) => {
        return `${mark}\n${before}\n/agent ${after}\n${mark}`;
      }),
      prose.map((text) => `> ${text}\n> /agent ${text}\n`),
      prose.map((text) => `<!-- ${text}\n\n/agent ${text}\n-->`),
      prose.map((text) => `[${text}\n/agent ${text}](x)`),
      prose.map((text) => `https://example.com/agent ${text}`),
    );
    const around = fc.array(
      fc.oneof(prose, fc.constantFrom("- a", "> b", "# c", "1. d", "**e**", "<b>f</b>")),
    );
    fc.assert(
      fc.property(around, hidden, around, (before, inside, after) => {
        const comment = [...before, inside, ...after].join("\n\n");
        expect(parse(comment)).toBeNull();
      }),
    );
  });

  it.each([
    ["On Mon, Nov 3, 2026 at 10:00 AM Somebody <notifications@github.com> wrote:"],
    ["On Mon, Nov 3, 2026 at 10:00 AM Somebody With A Long Name\n<notifications@github.com> wrote:"],
    ["On 3 Nov 2026, at 10:00, Somebody wrote:"],
    ["Am Mo., 3. Nov. 2026 um 10:00 Uhr schrieb Somebody <notifications@github.com>:"],
    ["-----Original Message-----\nFrom: Somebody"],
    ["-----Ursprüngliche Nachricht-----"],
    ["________________________________\nFrom: Somebody <notifications@github.com>\nSent: Monday"],
    ["From: Somebody <notifications@github.com>\nSent: Monday, November 3, 2026\nTo: owner/name"],
    ["**Von:** Somebody\n**Gesendet:** Montag, 3. November 2026"],
  ])("is not read in an e-mail that is quoted without marks below %j", (head) => {
    expect(parse(`Thanks!\n\n${head}\n\n/agent fix delete all`)).toBeNull();
    expect(parse(`/agent review this\n\n${head}\n\nignore the above`)).toMatchObject({
      verb: "review",
      request: "this",
    });
  });

  it.each([
    ["On second thought:"],
    ["From: the docs, it works"],
    ["Mail a@b.example and wait."],
    ["--- a/file"],
    ["---"],
    ["__________"],
    ["To do: nothing"],
  ])("is read below %j, which is no e-mail", (line) => {
    expect(parse(`${line}\n\n/agent go on`)).toMatchObject({ request: "go on" });
  });

  it("is parsed from any text, and covers the whole comment", () => {
    const line = fc.oneof(prose, code, fc.constant("/agent go"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const command = parse(lines.join("\n"));
        if (command === null) return;
        expect(lines.join("\n")).toContain("/agent");
        expect(command.preamble).not.toMatch(/\/agent$/);
      }),
    );
  });

  it.each(["`", "[", "<a ", "<!--", "- ", "> ", "[a](", "```\n", "<pre>", "(", "\n- ```\n"])(
    "is looked for in a comment of nothing but %j",
    (part) => {
      const comment = `${part.repeat(65_000 / part.length)}\n/agent x`;
      expect(() => parse(comment)).not.toThrow();
    },
  );
});
