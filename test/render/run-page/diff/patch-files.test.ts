// A patch as its files, whatever its lines look like.

import { describe, expect, it } from "vitest";
import { patchFiles } from "../../../../src/render/run-page/diff/patch-files.ts";

describe("the files of a patch", () => {
  it("have their own lines, those that look like headers too", () => {
    const patch = [
      "diff --git a/a b.txt b/a b.txt",
      "index 1..2 100644",
      "--- a/a b.txt\t",
      "+++ b/a b.txt\t",
      "@@ -1,2 +1,3 @@ heading",
      " same",
      "--- a/not-a-header",
      "+++ b/not-a-header",
      "+diff --git a/x b/x",
      "\\ No newline at end of file",
      "diff --git a/gone b/gone",
      "deleted file mode 100644",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
      "diff --git a/old b/new",
      "similarity index 100%",
      "rename from old",
      "rename to new",
      "diff --git a/p.png b/p.png",
      "Binary files a/p.png and b/p.png differ",
      "",
    ].join("\n");
    const files = patchFiles(patch);
    expect(files.map(({ isBinary }) => isBinary)).toEqual([false, false, false, true]);
    expect(files.map(({ path, lines }) => [path, lines.map(({ kind }) => kind).join(" ")])).toEqual([
      ["a b.txt", "hunk same removed added added note"],
      ["gone", "hunk removed"],
      ["new", ""],
      ["p.png", ""],
    ]);
  });

  it("are none in a text that is no patch", () => {
    expect(patchFiles("hello\n@@ -1 +1 @@\n+x")).toEqual([]);
  });
});
