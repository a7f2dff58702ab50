// The colours of single lines, by language, and what goes on from one line to the next.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ColourKind } from "../../../../../src/render/run-page/diff/line-colours.ts";
import { languageOf } from "../../../../../src/render/run-page/diff/syntax/languages.ts";
import { type ScanState, scanLine } from "../../../../../src/render/run-page/diff/syntax/scan-line.ts";

const marks: Readonly<Record<ColourKind, string>> = {
  comment: "c",
  string: "s",
  constant: "n",
  keyword: "k",
  name: "f",
};

/** Each line with its colours below it: a letter for each colored character. */
function shown(path: string, ...lines: readonly string[]): string {
  const language = languageOf(path);
  if (language === null) throw new Error(`${path} has no language.`);
  let state: ScanState = null;
  return lines
    .map((line) => {
      const scanned = scanLine(line, language, state);
      state = scanned.state;
      const row = [...line].map(() => " ");
      for (const { from, to, kind } of scanned.spans) row.fill(marks[kind], from, to);
      return `${line}\n${row.join("").trimEnd()}`;
    })
    .join("\n");
}

describe("the colours of a line", () => {
  it.each([
    [
      "a.ts",
      [
        "const a = /[/'\"]+/.test(b) ? 'x\\'y' : 0x1f; // it's",
        "/** open",
        " * still",
        " */ return `a",
        "$b` + don't * 2 / 3",
      ],
    ],
    ["a.tsx", ['return <p className="x">don\'t</p>;']],
    ["a.py", ["@cached", "def f(self): # it", '    """Says', '    \'it\'"""; return None or 1_000']],
    ["a.go", ["func f(a string) rune { return 'x' } // `", "const b = `raw \\", '` + "c"']],
    ["a.rs", ["fn f<'a>(x: &'a str) -> char { '\\'' } // 'b'"]],
    ["a.c", ["#include <a.h>", "static int a = f('x', \"y\"); /* one */ b"]],
    ["a.java", ['@Override public void run() { throw new A("x"); }']],
    ["a.sh", ["if [ $# -gt 0 ]; then # none", "echo \"it's $a\" | cut -d' '"]],
    ["a.yml", ["# a", "- name: it's 'x' # no", "  run: 'y' # yes", "  url: http://x"]],
    ["a.toml", ["[a.b]", 'c-d = "x" # y']],
    ["a.json", ['{ "a": "b", "c": [1, true, null] }']],
    ["a.css", ["@media print { .a:hover { color: red !important; } } /* x */"]],
    ["a.sql", ["SELECT a FROM b WHERE c = 'it' -- d"]],
    ["a.html", ['don\'t <a href="x"', "  title='y'>if</a> <!-- z", "--> <!doctype html>"]],
    ["Dockerfile", ["FROM node:24 AS build # x", "RUN npm ci"]],
    ["Makefile", ["all: build # x", "\techo 'y'"]],
  ] as const)("are those of %s", (path, lines) => {
    expect(shown(path, ...lines)).toMatchSnapshot();
  });

  it("are none where the name of the file says nothing", () => {
    for (const path of [
      "README",
      "a.txt",
      "a.md",
      "a.",
      "",
      "constructor",
      "a.constructor",
      "a.ts/b",
      "a.__proto__",
    ])
      expect(languageOf(path)).toBeNull();
    expect(languageOf("src/A.TS")).toBe(languageOf("b.mjs"));
  });

  it("are in their order and within the line, whatever it is", () => {
    const paths = [
      "a.ts",
      "a.py",
      "a.rs",
      "a.cs",
      "a.sh",
      "a.yml",
      "a.toml",
      "a.css",
      "a.html",
      "a.php",
      "a.rb",
      "a.sql",
    ];
    const pieces = fc.constantFrom(...("'\"`/*#<>!-=:;{}()[]\\$@ \t.,0aé\u{1f600}".match(/./gu) ?? []));
    const line = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: pieces, maxLength: 60 }));
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.array(line, { maxLength: 6 }), (path, lines) => {
        const language = languageOf(path);
        if (language === null) throw new Error("It has a language.");
        let state: ScanState = null;
        for (const text of lines) {
          const scanned = scanLine(text, language, state);
          state = scanned.state;
          let at = 0;
          for (const { from, to } of scanned.spans) {
            expect(from).toBeGreaterThanOrEqual(at);
            expect(to).toBeGreaterThan(from);
            at = to;
          }
          expect(at).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
