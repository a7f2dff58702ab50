// What the pull request changes. Pure.

import type { ChangedFile } from "../../../../core/ports/checkout.ts";
import { isForeign } from "../../../tools/foreign-files.ts";
import { areaOf, isTest } from "../file-kinds.ts";
import { code, section, table } from "../markdown.ts";
import { byText, showCount, showItems } from "../numbers.ts";
import type { Survey } from "../survey.ts";

const LISTED_FILES = 40;
const LISTED_AREAS = 12;
const HEADING = "What the pull request changes";

type Totals = { files: number; additions: number; deletions: number };

export function changesSection({ changes }: Survey): string {
  if (changes === null) {
    return section(
      HEADING,
      "Its base is not in reach of the history that was fetched, so the changes cannot be listed.",
    );
  }
  const { baseSha, files } = changes;
  const totals = sumOf(files);
  const summary = `${showItems(files.length, "file")}, ${showLines(totals)} against ${code(baseSha.slice(0, 12))}.`;
  if (files.length === 0) return section(HEADING, `${summary} Nothing differs.`);
  const listed = files
    .toSorted((a, b) => churn(b) - churn(a) || byText(a.path, b.path))
    .slice(0, LISTED_FILES);
  const rows = listed.map((file) => [
    code(file.path),
    file.status,
    `+${showCount(file.additions)}`,
    `−${showCount(file.deletions)}`,
    kindOf(file.path),
  ]);
  const more = files.length > listed.length ? `The ${showCount(listed.length)} largest are listed.` : "";
  const fileTable = table(["File", "Status", "Added:", "Deleted:", "Kind"], rows);
  return section(HEADING, `${summary} ${testsLine(files)}`, areas(files), fileTable, more);
}

function testsLine(files: readonly ChangedFile[]): string {
  const tests = files.filter((file) => isTest(file.path)).length;
  return tests === 0 ? "No test is among them." : `${showItems(tests, "test file")} among them.`;
}

function areas(files: readonly ChangedFile[]): string {
  const byArea = Map.groupBy(files, (file) => areaOf(file.path));
  const sums = [...byArea].map(([area, members]) => ({ area, ...sumOf(members) }));
  const listed = sums
    .toSorted((a, b) => churn(b) - churn(a) || byText(a.area, b.area))
    .slice(0, LISTED_AREAS);
  const lines = listed.map((sum) => `${code(sum.area)} (${showItems(sum.files, "file")}, ${showLines(sum)})`);
  return `Areas: ${lines.join(", ")}${sums.length > listed.length ? ", …" : ""}`;
}

function sumOf(files: readonly ChangedFile[]): Totals {
  const totals = { files: files.length, additions: 0, deletions: 0 };
  for (const file of files) {
    totals.additions += file.additions;
    totals.deletions += file.deletions;
  }
  return totals;
}

function churn(lines: { readonly additions: number; readonly deletions: number }): number {
  return lines.additions + lines.deletions;
}

function showLines(lines: { readonly additions: number; readonly deletions: number }): string {
  return `+${showCount(lines.additions)} −${showCount(lines.deletions)}`;
}

function kindOf(path: string): string {
  if (isForeign(path)) return "generated or vendored";
  return isTest(path) ? "test" : "";
}
