import { defineConfig } from "vitest/config";
import { testsByNeeds } from "./scripts/test-needs.ts";
import { ClosingLine } from "./test/support/run/closing-line.ts";
import { HUGE_PAGES } from "./test/support/run/node-environment.ts";

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig(({ mode }) => {
  const env = mode === "long" ? { TEST_LONG: "1" } : {};
  Object.assign(process.env, env, HUGE_PAGES);
  return {
    test: {
      env,
      // Node loads the sources itself, as it does for the scripts.
      // Why: docs/decisions/192-node-loads-the-tests.md
      experimental: { viteModuleRunner: false },
      include: ["test/**/*.test.ts"],
      globalSetup: [
        // Ends last: deployments have schemas, too.
        "test/support/stores/postgres-schema-setup.ts",
        "test/support/run/working-folder-setup.ts",
        "test/support/run/command-setup.ts",
        "test/support/run/acp-agent-setup.ts",
        "test/support/run/compiled-nodes-setup.ts",
        "test/support/deployments/deployments-setup.ts",
      ],
      setupFiles: [
        "test/support/run/enter-working-folder.ts",
        "test/support/run/fixed-seed.ts",
        "test/support/run/processor-time.ts",
      ],
      ...testsByNeeds(),
      reporters: ["default", new ClosingLine()],
      // Files share processes whose memory is bounded below: one that needs much can be seen.
      logHeapUsage: true,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // What is polled for is work of other processes, on machines that may be busy.
      expect: { poll: { timeout: 30_000 } },
      pool: "forks",
      // No module keeps state (only entries act on import), so that files may share a process and what it has loaded.
      isolate: false,
      // Many tests wait for a process of their own.
      maxWorkers: 3,
      // Late in its life a worker holds 500 MB, and a test that fills a stream takes 400 MB more: beyond the limit it dies.
      execArgv: ["--max-old-space-size=1280", "--max-semi-space-size=4"],
    },
  };
});
