// The end of a test run. For people: what was skipped and why, each test that passed only at its second try, which is a
// fault of the test, and what failed. For machines: the last line "N passed, N failed, N skipped", or the same as JSON in
// the file that TEST_TOTALS names. It counts tests; a hook, a file and an error that belongs to no test count as one each.

import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import { INSTALLED_BY_CI, isMet, needsByName, onlyNeeds } from "../../../scripts/test-needs.ts";
import { closingLine, failureLines, type Totals } from "../../../scripts/test-totals.ts";

const UNEXPLAINED: SerializedError = { message: "It failed without an error." };

const installedByCi: ReadonlySet<string> = new Set(INSTALLED_BY_CI);

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const totals = count(modules, errors);
    const reasons = Object.entries(totals.missing).map(
      ([need, tests]) => `${tests} tests need ${needsByName[need]?.what}${howToInstall(need)}`,
    );
    if (reasons.length > 0)
      process.stdout.write(`\nskipped:\n${reasons.map((one) => `  ${one}\n`).join("")}`);
    const file = process.env.TEST_TOTALS;
    if (file !== undefined) writeFileSync(file, JSON.stringify(totals));
    else process.stdout.write(`${failureLines(totals.failures)}\n${closingLine(totals)}\n`);
  }
}

function count(modules: readonly TestModule[], errors: readonly SerializedError[]): Totals {
  let [passed, skipped] = [0, 0];
  const failures: string[] = [];
  const only = onlyNeeds();
  const missing: Record<string, number> = {};
  const skippedFiles = new Set<string>();
  for (const module of modules) {
    const file = relative(process.cwd(), module.moduleId);
    const fail = (name: string, causes: readonly SerializedError[]) =>
      failures.push(...causes.map((cause) => `${[file, name].filter(Boolean).join(": ")}: ${shown(cause)}`));
    fail("", module.errors());
    for (const suite of module.children.allSuites()) fail(suite.fullName, suite.errors());
    for (const test of module.children.allTests()) {
      if (only !== null && !test.options.tags?.some((tag) => only.includes(tag))) continue;
      const { state, errors: causes } = test.result();
      if (test.diagnostic()?.flaky)
        process.stdout.write(`\npassed only when tried again: ${test.fullName}\n`);
      if (state === "passed") passed += 1;
      else if (state === "failed") fail(test.fullName, [causes[0] ?? UNEXPLAINED]);
      else {
        skipped += 1;
        const need = missingNeed(test);
        if (need === undefined) continue;
        missing[need] = (missing[need] ?? 0) + 1;
        skippedFiles.add(file);
      }
    }
  }
  for (const error of errors) failures.push(`an error that belongs to no test: ${shown(error)}`);
  return {
    passed,
    failed: failures.length,
    skipped,
    failures,
    missing,
    skippedFiles: [...skippedFiles].sort(),
  };
}

/** The first line of its message, and where it was thrown. */
function shown({ message, stack }: SerializedError): string {
  const place = stack?.split("\n").find((line) => /^\s+at /.test(line));
  return [message.split("\n")[0], place?.trim()].filter(Boolean).join(" ");
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
