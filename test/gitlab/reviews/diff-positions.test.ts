import { describe, expect, it } from "vitest";
import { linesOfDiff, positionOf } from "../../../src/gitlab/reviews/diff-positions.ts";

const DIFF = `@@ -1,4 +1,5 @@
 one
-two
+TWO
+two and a half
 three
 four
@@ -20,2 +21,3 @@ function
 twenty
+new
 last
\\ No newline at end of file
`;
const refs = { base_sha: "a".repeat(40), start_sha: "b".repeat(40), head_sha: "c".repeat(40) };
const file = { oldPath: "old.txt", newPath: "new.txt", lines: linesOfDiff(DIFF) };
const at = (startLine: number, line = startLine, withRange = true) =>
  positionOf({ startLine, line }, { file, refs, withRange });

describe("a position in a diff", () => {
  it("names an added line by its new number, an unchanged one by both", () => {
    const place = { position_type: "text", ...refs, old_path: "old.txt", new_path: "new.txt" };
    expect(at(2)).toEqual({ ...place, new_line: 2 });
    expect(at(4)).toEqual({ ...place, new_line: 4, old_line: 3 });
    expect(at(23)).toEqual({ ...place, new_line: 23, old_line: 21 });
  });

  it("has the codes of both ends of several lines, where it is asked for them", () => {
    expect(at(1, 3)).toMatchObject({
      new_line: 3,
      line_range: {
        start: {
          line_code: expect.stringMatching(/^[0-9a-f]{40}_1_1$/),
          type: "old",
          old_line: 1,
          new_line: 1,
        },
        end: { line_code: expect.stringMatching(/^[0-9a-f]{40}_3_3$/), type: "new", new_line: 3 },
      },
    });
    expect(at(1, 3, false)).not.toHaveProperty("line_range");
  });

  it("is none for a line that the diff does not show, nor across two of its hunks", () => {
    expect([at(6), at(20), at(4, 22), at(0)]).toEqual([null, null, null, null]);
  });
});
