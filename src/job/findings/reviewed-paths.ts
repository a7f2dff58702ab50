// Files of a repository that a review is about. Pure.

import { matchesGlob } from "../../base/glob.ts";

/** Patterns as in a workflow's `on.<event>.paths`: `*` and `?` within a segment, `**` across segments. */
export type ReviewedPaths = {
  /** Empty: every file. */
  readonly paths: readonly string[];
  /** They win over `paths`. */
  readonly ignorePaths: readonly string[];
};

export function isReviewed(path: string, { paths, ignorePaths }: ReviewedPaths): boolean {
  const matches = (pattern: string): boolean => matchesGlob(path, pattern);
  return (paths.length === 0 || paths.some(matches)) && !ignorePaths.some(matches);
}

/** For the prompt: one sentence, or none where every file is reviewed. */
export function reviewedPathsText({ paths, ignorePaths }: ReviewedPaths): string[] {
  const named = (patterns: readonly string[]): string =>
    patterns.map((one) => JSON.stringify(one)).join(", ");
  return [
    ...(paths.length === 0 ? [] : [`Review only files that match one of ${named(paths)}.`]),
    ...(ignorePaths.length === 0 ? [] : [`Do not review files that match one of ${named(ignorePaths)}.`]),
  ];
}
