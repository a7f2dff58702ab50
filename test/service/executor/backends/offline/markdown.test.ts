import { expect, it } from "vitest";
import { code, visible } from "../../../../../src/service/executor/backends/offline/markdown.ts";

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
