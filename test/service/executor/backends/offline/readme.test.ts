import { describe, expect, it } from "vitest";
import { findReadme, firstParagraph } from "../../../../../src/service/executor/backends/offline/readme.ts";

const prose = "This project parses things quickly.";

describe("firstParagraph", () => {
  it.each([
    ["a heading before it", `# Name\n\n${prose}\n`],
    ["a heading right on it", `# Name\n${prose}`],
    ["an underlined heading", `Name of this project\n====================\n\n${prose}`],
    ["an underlined heading right on it", `Name of this\n---\n${prose}`],
    ["badges", `[![a](b)](c) [![d][e]][f]\n\n${prose}`],
    ["HTML around pictures", `<p align="center">\n<img src="x">\n</p>\n\n${prose}`],
    ["a comment", `<!-- a text that nobody\n\nsees at all -->\n\n${prose}`],
    ["a fenced block", `\`\`\`sh\nnpm install this project now\n\nand then run it\n\`\`\`\n\n${prose}`],
    [
      "lists and tables",
      `- a list of several words\n\n| a table | of words |\n\n1. one of many words\n\n${prose}`,
    ],
    ["links and emphasis", `This [project](http://x) *parses* **things** [quickly][1].`],
    ["a quotation", `> ${prose}`],
    ["windows line ends", `# Name\r\n\r\nThis project\r\nparses things quickly.\r\n`],
    ["directives", `.. image:: a picture of it\n\n:Author: some body here\n\n${prose}`],
  ])("is found behind or within %s", (_name, readme) => {
    expect(firstParagraph(readme)).toBe(prose);
  });

  it.each([
    "",
    "# Only a heading",
    "word",
    "<!-- This project parses things quickly.",
    "    indented code here, all of it",
  ])("is none in %j", (readme) => {
    expect(firstParagraph(readme)).toBeNull();
  });

  it("prefers the Markdown README of the root folder", () => {
    expect(findReadme(["README", "readme.md", "docs/README.md"])).toBe("readme.md");
    expect(findReadme(["README.rst"])).toBe("README.rst");
    expect(findReadme(["docs/README.md"])).toBeNull();
  });
});
