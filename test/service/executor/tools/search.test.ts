import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { findRegexFault } from "../../../../src/service/executor/tools/regex-fault.ts";
import { search } from "../../../../src/service/executor/tools/search.ts";
import { BorrowedFixture } from "../../checkouts/borrowed-fixture.ts";

const signal = new AbortController().signal;
let fixture: BorrowedFixture;
let checkout: Checkout;

const files = {
  "src/a.ts": "import x;\n  // TODO one\nexport function getUser(id) {\n  return id;\n}\nlast\n",
  "src/deep/b.java": "class  Parser {}\nTODO two\nTODO three\n",
  "src/deep/c.scala": "object Café {}\r\ngetUser(1);\r\n",
  "Build.gradle": "TODO build\n",
  "app/[id]/page.tsx": "TODO page\n",
  "node_modules/x/d.ts": "TODO four\nonlyForeign\n",
  "package-lock.json": "TODO five\n",
  "wide.txt": `${"w ".repeat(5_000)}needle${" z".repeat(5_000)}\n`,
  "odd\nname": "odd needle\n",
  "many.txt": `many ${"words ".repeat(10)}\n`.repeat(1_200),
  "slow.txt": `${"a".repeat(60)}!\n`,
  ".gitignore": "made/\n",
  "image.bin": "\0TODO\n",
};

beforeAll(async () => {
  fixture = await BorrowedFixture.make(files);
  checkout = await fixture.open();
});
afterAll(async () => {
  await checkout.close();
  await fixture.close();
});

const run = async (input: object) => (await search.run(input, { checkout, signal })).text;

describe("search", () => {
  it.each([
    [{ pattern: "function\\s+\\w+\\(" }, "src/a.ts:3: export function getUser(id) {"],
    [{ pattern: "get(User|Name)\\(\\d" }, "src/deep/c.scala:2: getUser(1);"],
    [{ pattern: "getUser\\(1\\);$" }, "src/deep/c.scala:2: getUser(1);"],
    [{ pattern: "getUser(", literal: true, path: "src/a.ts" }, "src/a.ts:3: export function getUser(id) {"],
    [
      { pattern: "getUser(", literal: "true", path: "src/a.ts", context: null },
      "src/a.ts:3: export function getUser(id) {",
    ],
    [{ pattern: "CAFÉ", ignore_case: true }, "src/deep/c.scala:1: object Café {}"],
    [{ pattern: "Caf. \\{" }, "src/deep/c.scala:1: object Café {}"],
    [
      { pattern: "TODO", glob: "*.{java,scala}" },
      "src/deep/b.java:2: TODO two\nsrc/deep/b.java:3: TODO three",
    ],
    [{ pattern: "TODO", glob: "[Bb]uild*" }, "Build.gradle:1: TODO build"],
    [{ pattern: "TODO", glob: "app/[id]/*.tsx" }, "app/[id]/page.tsx:1: TODO page"],
    [{ pattern: "TODO", path: "app/[id]" }, "app/[id]/page.tsx:1: TODO page"],
    [{ pattern: "TODO", path: "./src/a.ts" }, "src/a.ts:2:   // TODO one"],
    [{ pattern: "TODO", path: "/src", glob: "*.ts" }, "src/a.ts:2:   // TODO one"],
    [{ pattern: "TODO", path: "/workspace/src", glob: "src/*.ts" }, "src/a.ts:2:   // TODO one"],
    [{ pattern: "TODO", path: "src/*.ts" }, "src/a.ts:2:   // TODO one"],
    [{ pattern: "TODO", path: "node_modules" }, "node_modules/x/d.ts:1: TODO four"],
    [
      { pattern: "todo", ignore_case: true, whole_word: true, path: "src/deep", limit: 1 },
      "src/deep/b.java:2: TODO two\n[matching lines 1 to 1 of 2; next page: offset 2]",
    ],
    [
      { pattern: "TODO", path: "src/deep", offset: 2 },
      "src/deep/b.java:3: TODO three\n[matching lines 2 to 2 of 2]",
    ],
    [{ pattern: "TODO", path: "src", output: "files" }, "src/a.ts\nsrc/deep/b.java"],
    [{ pattern: "TODO", path: "src", output: "counts" }, "src/deep/b.java: 2\nsrc/a.ts: 1"],
    [{ pattern: "odd" }, '"odd\\nname":1: odd needle'],
  ])("answers %j", async (input, text) => {
    expect(await run(input)).toBe(text);
  });

  it("leaves vendored and generated files out, and says how much that is", async () => {
    const text = await run({ pattern: "TODO" });
    expect(text).not.toContain("node_modules");
    expect(text).toContain("[2 more lines match in vendored or generated files: include_foreign shows them]");
    expect(await run({ pattern: "TODO", include_foreign: true })).toContain(
      "node_modules/x/d.ts:1: TODO four",
    );
  });

  it("shows the lines around a match", async () => {
    const text = await run({ pattern: "return|import|last", path: "src/a.ts", context: 1 });
    expect(text).toBe(
      [
        "src/a.ts:1: import x;\nsrc/a.ts-2-   // TODO one\nsrc/a.ts-3- export function getUser(id) {",
        "src/a.ts:4:   return id;\nsrc/a.ts-5- }\nsrc/a.ts:6: last",
      ].join("\n"),
    );
    const apart = await run({ pattern: "import|last", path: "src/a.ts", context: 1 });
    expect(apart).toContain("\n--\nsrc/a.ts-5- }\nsrc/a.ts:6: last");
  });

  it("shows of a long line the part around the match", async () => {
    const text = await run({ pattern: "needle\\b", path: "wide.txt" });
    expect(text).toContain("needle");
    expect(text.length).toBeLessThan(400);
  });

  it("stays below 30 KB, and says how to go on", async () => {
    const text = await run({ pattern: "^many", limit: 1_000, context: 2 });
    expect(Buffer.byteLength(text)).toBeLessThan(30_300);
    expect(text).toMatch(/\[matching lines 1 to \d+ of 1200; next page: offset \d+\]/);
  });

  it("sees what was changed and what is new", async () => {
    await writeFile(join(fixture.root, "src/new.ts"), "fresh\n");
    expect(await run({ pattern: "fres.", glob: "*.{ts,js}" })).toBe("src/new.ts:1: fresh");
    expect(await run({ pattern: "TODO", glob: "[Bb]uild*", output: "files" })).toBe("Build.gradle");
    expect(await run({ pattern: "import", context: 1, path: "src/a.ts" })).toContain("src/a.ts-2-");
  });

  it.each([
    ["foo(", "at character 4 there is a bracket that is not closed"],
    ["a)b", "at character 2 there is a bracket that was not opened"],
    ["x|*y", "at character 3 there is nothing before it that * could repeat"],
    ["[a-", "at character 1 there is a class that is not closed by ]"],
    ["a\\", "at character 2 there is a backslash with nothing behind it"],
    ["a{2,1}", "numbers out of order in {} quantifier"],
    ["(?<a>x)(?<a>y)", "two named subpatterns have the same name"],
  ])("says what is wrong with the pattern %s", async (pattern, words) => {
    await expect(run({ pattern })).rejects.toThrow("The pattern is no valid regular expression: ");
    await expect(run({ pattern })).rejects.toThrow(words);
  });

  it("is not hung up by a pattern that backtracks without end", async () => {
    await expect(run({ pattern: "^(a+)+$" })).rejects.toThrow("it backtracks without end");
  });

  it.each([
    [{ pattern: "" }],
    [{ pattern: "a\nb" }],
    [{ pattern: "a\0" }],
    [{ pattern: "a".repeat(1_001) }],
    [{ pattern: "a", output: "all" }],
    [{}],
  ])("refuses %j", async (input) => {
    await expect(run(input)).rejects.toThrow("The input of search is wrong");
  });
});

describe("search that finds nothing", () => {
  it.each([
    [
      { pattern: "needlework" },
      /^\[nothing found: no line of \d+ files in the repository; binary files and those above 5 MB are not searched\]$/,
    ],
    [{ pattern: "todo", path: "src" }, /The same with ignore_case finds 3 lines\]$/],
    [{ pattern: "getUse", whole_word: true }, /The same without whole_word finds 2 lines/],
    [{ pattern: "getUser(id)" }, /The same with literal finds 1 line\]$/],
    [
      { pattern: "get.*\\(", literal: true },
      /The same as a regular expression \(without literal\) finds 2 lines\]$/,
    ],
    [
      { pattern: "TODO", glob: "*.scala", path: "src" },
      /no line of 1 files in src, glob "\*\.scala".* The same without glob finds 3 lines\]$/,
    ],
    [{ pattern: "TODO", glob: "*.rs" }, /none of \d+ files matches the repository, glob "\*\.rs"\]$/],
    [
      { pattern: "onlyForeign" },
      /1 lines match in \d vendored or generated files: include_foreign shows them/,
    ],
  ])("says why for %j", async (input, words) => {
    expect(await run(input)).toMatch(words);
  });

  it("says that git ignores the folder, or that there is none", async () => {
    fixture.git(["init", "--quiet", "made"]);
    await writeFile(join(fixture.root, "made/x"), "TODO\n");
    expect(await run({ pattern: "TODO", path: "made" })).toContain("git ignores made");
    await expect(run({ pattern: "TODO", path: "sorce" })).rejects.toThrow(
      "There is no folder or file sorce in the repository.",
    );
    await expect(run({ pattern: "TODO", path: "deep" })).rejects.toThrow("Nearest: src/deep.");
  });
});

describe("findRegexFault", () => {
  it.each(["a(?:b)+", "[]a]", "[^]]", "[[:digit:]]+", "\\(", "(*UTF)a", "\\Q(\\E", "a+?b*+", "(?i)x", "^*"])(
    "finds nothing wrong with %s",
    (pattern) => expect(findRegexFault(pattern)).toBeNull(),
  );
});
