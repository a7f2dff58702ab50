// What a run of the tests came to, and the line that ends it. Pure.

/** Of one run of the tests. */
export type Totals = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Unhandled errors, which belong to no test. The run fails. */
  readonly errors: number;
  /** What the machine lacks, with the number of tests that were skipped for it. One that lacks two counts for the first. */
  readonly missing: Readonly<Record<string, number>>;
  /** Files with a test that was skipped for what the machine lacks. */
  readonly skippedFiles: readonly string[];
};

/** For machines, by the last line. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
