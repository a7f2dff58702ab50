// The end of a test run. For people: what was skipped and why, and each test that passed only at its second try, which
// is a fault of the test. For machines: the last line "N passed, N failed, N skipped", or the same as JSON in the file
// that TEST_TOTALS names. It counts tests; a hook and a file that fail count as one each.

import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { INSTALLED_BY_CI, isMet, needsByName, onlyNeeds } from "../../../scripts/test-needs.ts";
import { closingLine, type Totals } from "../../../scripts/test-totals.ts";

const installedByCi: ReadonlySet<string> = new Set(INSTALLED_BY_CI);

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const totals = count(modules, errors);
    const reasons = Object.entries(totals.missing).map(
      ([need, tests]) => `${tests} tests need ${needsByName[need]?.what}${howToInstall(need)}`,
    );
    if (reasons.length > 0)
      process.stdout.write(`\nskipped:\n${reasons.map((one) => `  ${one}\n`).join("")}`);
    if (totals.errors > 0)
      process.stdout.write(`\n${totals.errors} errors that belong to no test (above): the run has failed\n`);
    const file = process.env.TEST_TOTALS;
    if (file !== undefined) writeFileSync(file, JSON.stringify(totals));
    else process.stdout.write(`\n${closingLine(totals)}\n`);
  }
}

function count(modules: readonly TestModule[], errors: readonly unknown[]): Totals {
  let [passed, failed, skipped] = [0, 0, 0];
  const only = onlyNeeds();
  const missing: Record<string, number> = {};
  const skippedFiles = new Set<string>();
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      if (only !== null && !test.options.tags?.some((tag) => only.includes(tag))) continue;
      const { state } = test.result();
      if (test.diagnostic()?.flaky)
        process.stdout.write(`\npassed only when tried again: ${test.fullName}\n`);
      if (state === "passed") passed += 1;
      else if (state === "failed") failed += 1;
      else {
        skipped += 1;
        const need = missingNeed(test);
        if (need === undefined) continue;
        missing[need] = (missing[need] ?? 0) + 1;
        skippedFiles.add(relative(process.cwd(), module.moduleId));
      }
    }
  }
  return { passed, failed, skipped, errors: errors.length, missing, skippedFiles: [...skippedFiles].sort() };
}

/** What .ci/run would install comes first: with all of that, the test may still be skipped for another need. */
function missingNeed({ options }: TestCase): string | undefined {
  const missing = options.tags?.filter((tag) => tag in needsByName && !isMet(tag)) ?? [];
  return missing.find((tag) => installedByCi.has(tag)) ?? missing[0];
}

function howToInstall(need: string): string {
  const install = needsByName[need]?.install;
  return install === undefined || install === null ? "" : ` (${install})`;
}
