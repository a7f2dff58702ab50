// A project of its own, whose files fail in every way that is not a failed test. Run by closing-line.test.ts alone.

import { defineConfig } from "vitest/config";
import { testsByNeeds } from "../../../../scripts/test-needs.ts";
import { ClosingLine } from "../closing-line.ts";

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.case.ts"],
    ...testsByNeeds(),
    reporters: [new ClosingLine()],
    pool: "threads",
  },
});
