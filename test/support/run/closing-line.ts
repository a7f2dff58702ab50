// The last line of a test run, for machines: "N passed, N failed, N skipped", from the runner's own totals. What fails
// outside a test (a hook, a file that cannot be imported, an unhandled error) counts as failed. Before it, by name, each
// test that passed only when it was tried again: those wait to be mended.

import type { Reporter, TestModule } from "vitest/node";

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky)
          process.stdout.write(`\npassed only when tried again: ${test.fullName}\n`);
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
