// Whether a review found the planted defects: each is named by its file and line, and not by naming every line. Pure.

import { type Finding, readFindings } from "../../src/report/findings.ts";
import type { ReviewTask } from "./task.ts";

/** A finding may be at the line before or after: where a statement begins, or ends. */
const NEAR_LINES = 1;
/** Findings beyond the planted defects that a careful review may have. */
const MAX_OTHERS = 3;

export type FoundDefects = { readonly isSolved: boolean; readonly found: number; readonly planted: number };

/** `reply` is what the run replied as data. */
export function checkReview(task: ReviewTask, reply: unknown): FoundDefects {
  const findings = readFindings({ value: reply as never })?.findings ?? [];
  const planted = plantedDefects(task);
  const found = planted.filter((defect) => findings.some((finding) => names(finding, defect))).length;
  const isConcise = findings.length <= planted.length + MAX_OTHERS;
  return { isSolved: found === planted.length && isConcise, found, planted: planted.length };
}

/** What a review that found all of them replies with. */
export function referenceFindings(task: ReviewTask): readonly object[] {
  return plantedDefects(task).map(({ path, line }) => ({
    path,
    line,
    severity: "error",
    title: "A planted defect",
    body: "This line needs work.",
  }));
}

type Place = { readonly path: string; readonly line: number };

/** Throws RangeError for a line that is not there, or twice. */
export function plantedDefects({ change, defects }: ReviewTask): readonly Place[] {
  return defects.map(({ path, text }) => {
    const lines = change[path]?.split("\n") ?? [];
    const line = lines.indexOf(text);
    if (line === -1 || lines.indexOf(text, line + 1) !== -1) {
      throw new RangeError(`The line of a planted defect stands not once in ${path}: ${text}`);
    }
    return { path, line: line + 1 };
  });
}

function names({ path, startLine, line }: Finding, defect: Place): boolean {
  return path === defect.path && defect.line >= startLine - NEAR_LINES && defect.line <= line + NEAR_LINES;
}
