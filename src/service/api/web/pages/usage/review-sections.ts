// Outcomes of the findings of reviews, by repository: a picture and its table. Pure.
// Why: docs/decisions/158-a-resolution-rate.md

import type { UsageReport, UsageRow, UsageTotals } from "../../../../../contract/money/usage.ts";
import { barList } from "../../../../../render/charts/bar-list.ts";
import { type Element, el } from "../../../../../render/html/element.ts";
import { countText, plural } from "../../../../../render/quantities.ts";
import { nameOf, percent, resolutionRate } from "./usage-numbers.ts";

const MAX_BARS = 10;

type Reviews = NonNullable<UsageTotals["reviews"]>;

export function hasReviews({ total }: UsageReport): boolean {
  return (total.reviews?.pull_requests ?? 0) > 0;
}

/** The share that was fixed, of each repository whose reviews have found something: those with the most findings first. */
export function resolutionBars(report: UsageReport): Element {
  const rows = reviewedRows(report).filter(({ row }) => resolutionRate(row) !== null);
  if (rows.length === 0) return el("p", {}, "These reviews have found nothing that still stands.");
  const most = rows.toSorted((one, other) => other.reviews.found - one.reviews.found).slice(0, MAX_BARS);
  const bars = most.map(({ row, reviews: { fixed, found, withdrawn } }) => ({
    name: nameOf(report.by, row),
    value: 100 * (resolutionRate(row) ?? 0),
    text: `${percent(resolutionRate(row))} · ${countText(fixed)} of ${plural(found - withdrawn, "finding")}`,
  }));
  const rest = rows.length > MAX_BARS ? el("p", { class: "faint" }, "The table has all of them.") : null;
  return el(
    "div",
    { class: "chart" },
    barList("Findings fixed, by repository", bars, { highest: 100 }),
    rest,
  );
}

const columns: readonly (readonly [string, (reviews: Reviews) => string])[] = [
  ["Pull requests", ({ pull_requests }) => countText(pull_requests)],
  ["Reviews", ({ reviews }) => countText(reviews)],
  ["Findings", ({ found }) => countText(found)],
  ["Fixed", ({ fixed }) => countText(fixed)],
  ["Declined", ({ declined }) => countText(declined)],
  ["Withdrawn", ({ withdrawn }) => countText(withdrawn)],
  ["Open", ({ open }) => countText(open)],
  ["Resolution rate", ({ resolution_rate: rate }) => percent(rate)],
];

export function reviewTable(report: UsageReport, { csv }: { readonly csv: string }): Element {
  const line = (name: string, reviews: Reviews | null) =>
    reviews === null
      ? null
      : el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          ...columns.map(([, text]) => el("td", { class: "number" }, text(reviews))),
        );
  const head = columns.map(([name]) => el("th", { scope: "col", class: "number" }, name));
  return el(
    "details",
    {},
    el("summary", {}, "Table"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Reviews by repository" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Repository"), ...head)),
        el(
          "tbody",
          {},
          ...reviewedRows(report).map(({ row, reviews }) => line(nameOf(report.by, row), reviews)),
          report.others === null ? null : line("All others", report.others.reviews),
          line("Total", report.total.reviews),
        ),
      ),
    ),
    el("p", {}, el("a", { href: csv, download: true }, "Download as CSV")),
  );
}

function reviewedRows({
  rows,
}: UsageReport): readonly { readonly row: UsageRow; readonly reviews: Reviews }[] {
  return rows.flatMap((row) => {
    const { reviews } = row;
    return reviews === null || reviews.pull_requests === 0 ? [] : [{ row, reviews }];
  });
}
