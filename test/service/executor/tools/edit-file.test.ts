import { execFileSync } from "node:child_process";
import { chmod, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { editFile } from "../../../../src/service/executor/tools/edit-file.ts";
import { findSimilarLine } from "../../../../src/service/executor/tools/similar-line.ts";
import { folderCheckout } from "./folder-checkout.ts";

const signal = new AbortController().signal;
let checkout: Checkout;
beforeEach(async () => {
  checkout = await folderCheckout({});
});
afterEach(() => checkout.close());

const put = (text: string | Buffer) => writeFile(join(checkout.root, "a.ts"), text);
const get = () => readFile(join(checkout.root, "a.ts"), "utf8");
const edit = async (old_text: string, new_text: string, more: object = {}) =>
  (await editFile.run({ path: "a.ts", old_text, new_text, ...more }, { checkout, signal })).text;

describe("edit_file", () => {
  it("replaces a text that is there once, and shows the diff", async () => {
    await put("1\n2\n3\n4\nconst a = 5;\n6\n7\n8\n9\n");
    await chmod(join(checkout.root, "a.ts"), 0o755);
    expect(await edit("const a = 5", "const a = 50")).toBe(
      [
        "Replaced 1 place in a.ts.",
        "--- a/a.ts",
        "+++ b/a.ts",
        "@@ -2,7 +2,7 @@",
        " 2\n 3\n 4\n-const a = 5;\n+const a = 50;\n 6\n 7\n 8",
      ].join("\n"),
    );
    expect(await get()).toBe("1\n2\n3\n4\nconst a = 50;\n6\n7\n8\n9\n");
    expect((await stat(join(checkout.root, "a.ts"))).mode & 0o777).toBe(0o755);
  });

  it("takes the new text as it is, and the byte order mark too", async () => {
    await put("\ufeffprice\n");
    await edit("price", "$& $1 $$");
    expect(await get()).toBe("\ufeff$& $1 $$\n");
  });

  it("names the places where there is more than one, or replaces them all", async () => {
    await put(`x x\n${"-\n".repeat(20)}x`);
    await expect(edit("x", "y")).rejects.toThrow(
      "old_text is in a.ts 3 times, at the lines 1, 1, 22. Add lines around it to name one, or set replace_all.",
    );
    expect(await edit("x", "y", { replace_all: true })).toBe(
      [
        "Replaced 3 places in a.ts.\n--- a/a.ts\n+++ b/a.ts",
        "@@ -1,4 +1,4 @@\n-x x\n+y y\n -\n -\n -",
        "@@ -19,4 +19,4 @@\n -\n -\n -\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file",
      ].join("\n"),
    );
  });

  it.each([
    [
      "tabs for spaces",
      "\tif (x) {\n\t\tgo();\n\t}\n",
      "    if (x) {\n        go();\n    }",
      "    if (x) {\n        if (y) {\n            stay();\n        }\n    }",
      "\tif (x) {\n\t\tif (y) {\n\t\t\tstay();\n\t\t}\n\t}\n",
    ],
    ["spaces for tabs", "  a:\n    b\n", "\ta:\n\t\tb", "\ta:\n\t\tb\n\t\tc", "  a:\n    b\n    c\n"],
    [
      "no indentation",
      "class A {\n    f() {\n        x;\n    }\n}\n",
      "f() {\n    x;\n}",
      "f() {\n    y;\n\n    z;\n}",
      "class A {\n    f() {\n        y;\n\n        z;\n    }\n}\n",
    ],
    ["too much indentation", "if a:\n  b\n", "    if a:\n      b\n", "    if a:\n      c\n", "if a:\n  c\n"],
    [
      "two for four",
      "    def f():\n        return 1\n",
      "  def f():\n    return 1",
      "  def f():\n    if x:\n      return 2",
      "    def f():\n        if x:\n            return 2\n",
    ],
  ])(
    "finds a text with another indentation, and adapts the new one: %s",
    async (_name, file, old, next, after) => {
      await put(file);
      expect(await edit(old, next)).toMatch(
        /^Replaced 1 place in a\.ts\.\n\[old_text was found with another indentation, to which new_text was adapted, at the line \d+\]\n--- a/,
      );
      expect(await get()).toBe(after);
    },
  );

  it.each([
    [
      "blanks at line ends",
      "one  \ntwo\t\nthree\n",
      "one\ntwo",
      "1\n2",
      "1\n2\nthree\n",
      "other blanks at the ends",
    ],
    [
      "curly quotes",
      "say(\u201chi\u201d, \u2018x\u2019) \u2014 end\n",
      "say(\"hi\", 'x') - end",
      "done",
      "done\n",
      "other quotes",
    ],
    ["straight quotes", 'x = "a"\n', "x = \u201ca\u201d", "y", "y\n", "other quotes"],
    ["no-break spaces", "a\u00a0b c\n", "a b c", "d", "d\n", "other quotes"],
    ["NFD", "cafe\u0301 open\n", "caf\u00e9", "bar", "bar open\n", "forms of letters"],
    ["NFC", "caf\u00e9 open\n", "cafe\u0301", "bar", "bar open\n", "forms of letters"],
    [
      "line numbers",
      "one\ntwo\n",
      "1\tone\n2\ttwo",
      "1\tuno\n2\tdos",
      "uno\ndos\n",
      "line numbers of read_file",
    ],
    ["CRLF and blanks", "one  \r\ntwo\r\n", "one\ntwo", "1\n2", "1\r\n2\r\n", "other blanks at the ends"],
  ])("finds a text in spite of %s, and says so", async (_name, file, old, next, after, words) => {
    await put(file);
    expect(await edit(old, next)).toContain(words);
    expect(await get()).toBe(after);
  });

  it("does not guess where more than one place is like it, or the indentation follows no rule", async () => {
    await put("  a;\n    a;\n");
    await expect(edit("\ta;", "b;")).rejects.toThrow(
      "2 times (with another indentation, to which new_text was adapted)",
    );
    await put("a\n   b\n  c\n d\n");
    await expect(edit("\ta\n\tb\n\tc\n\td", "x")).rejects.toThrow("old_text is not in a.ts");
    expect(await get()).toBe("a\n   b\n  c\n d\n");
  });

  it("makes several edits, each on what the ones before have left, or none", async () => {
    await put("one\ntwo\nthree\n");
    const edits = (list: unknown) => editFile.run({ path: "a.ts", edits: list }, { checkout, signal });
    const { text } = await edits([
      { old_text: "one", new_text: "1" },
      { old_text: "1\ntwo", new_text: "1\n2", replace_all: "false" },
    ]);
    expect(text).toContain("Replaced 2 places in a.ts.");
    expect(text).toContain("-two\n+2");
    expect(await get()).toBe("1\n2\nthree\n");
    const failing = [
      { old_text: "three", new_text: "3" },
      { old_text: "four", new_text: "4" },
    ];
    await expect(edits(failing)).rejects.toThrow("edits[1]: old_text is not in a.ts.");
    expect(await get()).toBe("1\n2\nthree\n");
    await edits(JSON.stringify([{ old_text: "three", new_text: "3" }]));
    expect(await get()).toBe("1\n2\n3\n");
    await expect(edit("1", "2", { edits: failing })).rejects.toThrow("and not both");
  });

  it.each([
    [
      "if (user.isAdmin) {",
      'It has no line "if (user.isAdmin) {". Line 2 is most like it: "  if (user.isAdmin()) {"',
    ],
    ["\nfunction f() {\n  if (user.isAdmim()) {\n", 'It has no line "  if (user.isAdmim()) {". Line 2 is'],
    ["  return 1;\nfunction f() {\n", "Its lines are there, but not one after the other. Line 3 is"],
    ["nothing of this kind", "No line of it is like it. Read the file."],
    ["\n\n\n", "No line of it is like it. Read the file."],
  ])("says of %j what comes nearest", async (old_text, words) => {
    await put("function f() {\n  if (user.isAdmin()) {\n  return 1;\n}\n");
    await expect(edit(old_text, "")).rejects.toThrow("old_text is not in a.ts. ");
    await expect(edit(old_text, "")).rejects.toThrow(words);
  });

  it("keeps the line ends of a file with CRLF", async () => {
    await put("one\r\ntwo\r\nthree\r\n");
    expect(await edit("one\ntwo", "1\n1.5\n2")).toContain("\n-one\n-two\n+1\n+1.5\n+2\n three");
    await edit("three", "3\r\n4\n5");
    expect(await get()).toBe("1\r\n1.5\r\n2\r\n3\r\n4\r\n5\r\n");
  });

  it("writes the line ends of the place into a file of mixed ones", async () => {
    await put("a\r\nb\r\nc\nd\n");
    await edit("b", "b\nb2");
    await edit("c", "c\nc2");
    expect(await get()).toBe("a\r\nb\r\nb2\r\nc\nc2\nd\n");
  });

  it("adds no line end to a file that ends without one", async () => {
    await put("a\nb");
    await edit("b\n", "c\n");
    expect(await get()).toBe("a\nc");
    await put("a\r\n  b");
    await edit("b\n", "c\nd\n");
    expect(await get()).toBe("a\r\n  c\r\n  d");
  });

  it.each([
    [
      "what stays as it is",
      "“It’s” — he said",
      '"It\'s" - he said',
      '"It\'s" - she said',
      "“It’s” — she said",
    ],
    ["quotes in new places", "a “b” c", 'a "b" c', '"x" a "b" and ("y") c', "“x” a “b” and (“y”) c"],
    ["apostrophes", "It’s fine", "It's fine", "It isn't, and it's not fine", "It isn’t, and it’s not fine"],
    ["no-break spaces", "10\u00a0km far", "10 km far", "10 km near", "10\u00a0km near"],
    // A quote of code is none of the text's.
    ["straight ones beside curly", 'say("it’s")', 'say("it\'s")', "say('its')", "say('its')"],
    [
      "NFD",
      "cafe\u0301 a\u0301 open",
      "caf\u00e9 \u00e1 open",
      "caf\u00e9 \u00e1 closed",
      "cafe\u0301 a\u0301 closed",
    ],
  ])("keeps the typography of the file: %s", async (_name, file, old, next, after) => {
    await put(`1\n${file}\n`);
    expect(await edit(old, next)).toContain("with other quotes");
    expect(await get()).toBe(`1\n${after}\n`);
  });

  it("finds a text in a file of mixed line ends by either", async () => {
    await put("a\nb\r\nc\n");
    await edit("b\nc", "x\ny");
    expect(await get()).toBe("a\nx\r\ny\n");
    await edit("a\n", "");
    expect(await get()).toBe("x\r\ny\n");
  });

  it.each([
    [Buffer.from("a\0b"), "binary"],
    [Buffer.from([0x61, 0xff, 0x0a]), "is not in UTF-8"],
  ])("does not damage what is no text: %j", async (bytes, words) => {
    await put(bytes);
    await expect(edit("a", "b")).rejects.toThrow(words);
    expect(await readFile(join(checkout.root, "a.ts"))).toEqual(bytes);
  });

  it("refuses what changes nothing, what is too large, and what would be", async () => {
    await put("aaaa");
    await expect(edit("a", "a")).rejects.toThrow("nothing would change");
    await expect(edit("", "a")).rejects.toThrow("The input of edit_file is wrong: old_text");
    const vast = edit("a", "b".repeat(2_000_000), { replace_all: true });
    await expect(vast).rejects.toThrow("would have 8000000 bytes, at most 5000000");
    expect(await get()).toBe("aaaa");
    await truncate(join(checkout.root, "a.ts"), 2 ** 31);
    await expect(edit("a", "b")).rejects.toThrow("has 2147483648 bytes, at most 5000000 are edited");
  });

  it("shows no more of a long diff than can be read", async () => {
    await put("x\n-\n-\n-\n-\n-\n-\n-\n".repeat(5_000));
    const text = await edit("x", "y", { replace_all: true });
    expect(text.length).toBeLessThan(32_000);
    expect(text).toMatch(/\n\[\d+ more hunks\]$/);
  });

  it("shows a diff that git makes the new text of", async () => {
    const piece = fc.constantFrom("a", "b", "\n", "ab", "\n\n");
    const some = (minLength: number, maxLength: number) =>
      fc.array(piece, { minLength, maxLength }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(some(1, 60), some(1, 3), some(0, 4), async (before, old_text, new_text) => {
        fc.pre(before.includes(old_text) && old_text !== new_text);
        await put(before);
        const shown = await edit(old_text, new_text, { replace_all: true });
        const after = await get();
        expect(after).toBe(before.replaceAll(old_text, () => new_text));
        fc.pre(!shown.includes("more hunks"));
        await put(before);
        const patch = `${shown.slice(shown.indexOf("\n") + 1)}\n`;
        execFileSync("git", ["apply", "-"], { cwd: checkout.root, input: patch, stdio: "pipe" });
        expect(await get()).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});

describe("findSimilarLine", () => {
  it("knows the nearest by its letters, white space aside", () => {
    const lines = ["", "const total = 0;", "\tconst  totals = 1;", "x"];
    expect(findSimilarLine(lines, "  const totals = 2;")).toEqual({ line: 3, text: "\tconst  totals = 1;" });
    expect(findSimilarLine(lines, "const total = 0;")?.line).toBe(2);
    expect(findSimilarLine(lines, "import z")).toBeNull();
    expect(findSimilarLine([], "a")).toBeNull();
  });

  it("is not slowed down by long lines", () => {
    expect(findSimilarLine(Array(20_000).fill("ab".repeat(5_000)), "ba".repeat(5_000))?.line).toBe(1);
  });
});
