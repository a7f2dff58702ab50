import { expect, it } from "vitest";
import { isReviewed, reviewedPathsText } from "../../../src/job/findings/reviewed-paths.ts";

it.each([
  ["src/a.ts", [], [], true],
  ["src/a.ts", ["src/**"], [], true],
  [".github/x.yml", ["**"], [], true],
  ["docs/a.md", ["src/**"], [], false],
  ["src/a.ts", ["src/**"], ["**/*.ts"], false],
  ["README.md", [], ["*.md"], false],
  ["docs/README.md", [], ["*.md"], true],
])("%s with paths %j and ignore-paths %j: %s", (path, paths, ignorePaths, expected) => {
  expect(isReviewed(path, { paths, ignorePaths })).toBe(expected);
});

it("tells the agent of both, as quoted patterns", () => {
  expect(reviewedPathsText({ paths: ["src/**", 'a"b'], ignorePaths: ["*.md"] })).toEqual([
    'Review only files that match one of "src/**", "a\\"b".',
    'Do not review files that match one of "*.md".',
  ]);
  expect(reviewedPathsText({ paths: [], ignorePaths: [] })).toEqual([]);
});
