import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/deployments-setup.ts",
    reporters: ["default", new ClosingLine()],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
  },
});
