// What a run of the tests came to, and the line that ends it. Pure.

/** Of one run of the tests. */
export type Totals = {
  readonly passed: number;
  /** Tests, hooks, files that cannot be imported, and errors that belong to no test. */
  readonly failed: number;
  readonly skipped: number;
  /** What failed, each with the first lines of its error. */
  readonly failures: readonly string[];
  /** What the machine lacks, with the number of tests that were skipped for it. One that lacks two counts for the first. */
  readonly missing: Readonly<Record<string, number>>;
  /** Files with a test that was skipped for what the machine lacks. */
  readonly skippedFiles: readonly string[];
};

/** What failed, for people who see only the end of a long output. */
export function failureLines(failures: readonly string[]): string {
  return failures.length === 0 ? "" : `\nfailed:\n${failures.map((one) => `  ${one}\n`).join("")}`;
}

/** For machines, by the last line. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
