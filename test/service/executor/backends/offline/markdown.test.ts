import { expect, it } from "vitest";
import {
  code,
  table,
  textBlock,
  visible,
} from "../../../../../src/service/executor/backends/offline/markdown.ts";

it.each([
  ["a", "`a`"],
  ["a`b", "``a`b``"],
  ["``", "``` `` ```"],
  [" a ", "`  a  `"],
  ["", "(empty)"],
  ["\n", "`\\n`"],
  ["a\u202eb", "`a\\u{202e}b`"],
  ["❤\ufe0f", "`❤`"],
])("puts %j into the code span %s", (text, span) => {
  expect(code(text)).toBe(span);
});

it("cuts between characters", () => {
  expect(visible("😀😀😀😀", 3)).toBe("😀😀…");
  expect(visible("😀😀😀", 3)).toBe("😀😀😀");
  expect([...visible("x".repeat(1e6), 10)]).toHaveLength(10);
});

it("fences a block longer than what it holds, and wraps it", () => {
  expect(textBlock("a ````b", 100)).toBe("`````text\na ````b\n`````");
  expect(
    textBlock("word ".repeat(40), 500)
      .split("\n")
      .every((line) => line.length <= 96),
  ).toBe(true);
});

it("keeps a table's columns, whatever the cells hold", () => {
  expect(
    table(
      ["A", "B:"],
      [
        ["x|y", "1"],
        ["`\\|`", "2"],
      ],
    ),
  ).toBe("| A | B |\n| --- | ---: |\n| x\\|y | 1 |\n| `\\¦` | 2 |");
});
