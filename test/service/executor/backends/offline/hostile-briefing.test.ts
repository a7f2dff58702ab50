import { describe, expect, it } from "vitest";
import { briefingOf } from "./run-offline.ts";

const poison = [
  "evil",
  "@evil",
  "<evil>",
  "![evil](https://evil.example)",
  "`evil`",
  "``evil```",
  "evil | evil",
  "evil \\| evil",
  "evil\n\n# evil",
  "\u202eevil\u2066",
  "evil\u001b[31m",
  "<!-- evil",
  "evil\u{e0041}\u200b",
  "` evil",
  "evil\\",
  "| evil |\n| --- |",
  "$evil$",
  "evil#1 octo/evil#2",
];

/** What a Markdown reader takes as text: code spans removed, by the rules of CommonMark. */
function outsideOfCode(markdown: string): string {
  return markdown.replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, "");
}

describe.each(poison)("text such as %j", (text) => {
  it("stays inside of code wherever it comes from", async () => {
    const path = `${text.replace(/[/\0]/g, "_")}.ts`;
    const manifest = {
      name: text,
      version: text,
      description: text,
      license: text,
      main: text,
      scripts: { build: text },
    };
    const files = {
      "README.md": `Reads like prose but ${text} for sure\n`,
      "package.json": JSON.stringify(manifest),
      [path]: "x",
    };
    const briefing = await briefingOf(files, {
      task: {
        messages: [{ role: "user", content: text }],
        event: "pull_request",
        baseRef: "main",
        ref: text,
        repository: text,
      },
      parts: {
        recentCommits: async () => [{ sha: "a".repeat(40), author: text, at: 0, subject: text }],
        changesSinceBase: async () => ({
          baseSha: "b".repeat(40),
          files: [{ path, status: "modified", additions: 1, deletions: 1 }],
        }),
      },
    });
    expect(briefing).toContain("evil");
    expect(outsideOfCode(briefing)).not.toContain("evil");
    expect(outsideOfCode(briefing)).not.toMatch(/[<@!]|https?:/);
    expect(briefing).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
    expect(briefing.match(/^#+ .*/gm)).toHaveLength(5);
  });
});

describe("a hostile repository", () => {
  it("gets a bounded briefing, however large it is", async () => {
    const paths = Array.from({ length: 200_000 }, (_, at) => `d${at % 999}/${"n".repeat(100)}${at}.ts`);
    const file = { status: "modified", additions: 9, deletions: 9 } as const;
    const briefing = await briefingOf(
      { "README.md": "word ".repeat(50_000) },
      {
        task: { event: "pull_request", baseRef: "main" },
        parts: {
          files: async () => ["README.md", ...paths],
          changesSinceBase: async () => ({ baseSha: "b", files: paths.map((path) => ({ path, ...file })) }),
        },
      },
    );
    expect(briefing).toContain("200,001 tracked files.");
    expect(briefing).toContain("- and 199980 more");
    expect(briefing.length).toBeLessThan(8_000);
  });

  it("may hold manifests that are nonsense", async () => {
    const nonsense = [
      "",
      "[]",
      "null",
      '{"scripts": 7, "bin": [], "name": {}}',
      "{",
      "\u0000",
      "[[[",
      "= = =",
    ];
    for (const text of nonsense) {
      const files = Object.fromEntries(
        [
          "package.json",
          "deno.json",
          "composer.json",
          "pyproject.toml",
          "Cargo.toml",
          "pom.xml",
          "Makefile",
        ].map((name) => [name, text]),
      );
      expect(await briefingOf(files)).toContain("# Briefing of");
    }
  });

  it("cannot slow the readers down with texts made for it", async () => {
    const size = 900_000;
    const briefing = await briefingOf({
      "README.md": "<".repeat(size),
      "package.json": `${"\n".repeat(size)}{}`,
      "pom.xml": "<parent>".repeat(size / 8),
      Makefile: `${"a".repeat(size)}:`,
      justfile: "a ".repeat(size / 2),
      "CMakeLists.txt": "project(\n".repeat(size / 9),
      "pyproject.toml": "[".repeat(size),
      "Cargo.toml": '"'.repeat(size),
      LICENSE: "Redistribution and use in source and binary forms ".repeat(size / 50),
      "action.yml": "main: ".repeat(size / 6),
    });
    expect(briefing).toContain("# Briefing of");
  });

  it("may be empty", async () => {
    const briefing = await briefingOf({});
    expect(briefing).toContain("0 tracked files.");
    expect(briefing).toContain("No README with a paragraph of prose was found.");
    expect(briefing).toContain("no build file that is known here");
  });
});
