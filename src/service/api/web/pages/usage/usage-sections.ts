// The parts of the page of usage: figures, pictures, and each picture's table. Pure.

import {
  isOfReviews,
  type UsageBy,
  type UsageReport,
  type UsageRow,
  type UsageTotals,
} from "../../../../../contract/money/usage.ts";
import { barList } from "../../../../../render/charts/bar-list.ts";
import { type ChartPart, type StackedBar, stackedChart } from "../../../../../render/charts/stacked-chart.ts";
import type { CsvCell } from "../../../../../render/csv.ts";
import { type Contents, type Element, el } from "../../../../../render/html/element.ts";
import { countText, dollarsText, plural } from "../../../../../render/quantities.ts";
import {
  chargedOf,
  checksRate,
  creditsOfMicroUsd,
  nameOf,
  percent,
  resolutionRate,
  runsOf,
  successRate,
} from "./usage-numbers.ts";

/** Bars of one picture; its table has all rows. */
const MAX_BARS = 10;

/** Each figure of the period, beside that of as many days before. */
export function figures(now: UsageTotals, before: UsageTotals): Element {
  const rows: readonly (readonly [string, (totals: UsageTotals) => string])[] = [
    ["Runs", (totals) => countText(runsOf(totals))],
    ["Success", (totals) => percent(successRate(totals))],
    ["Cost, credits", (totals) => creditsOfMicroUsd(chargedOf(totals))],
    [
      "Tokens",
      ({ tokens }) => tokens.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 }),
    ],
    ["Checks passed", (totals) => percent(checksRate(totals))],
    ["Findings fixed", (totals) => percent(resolutionRate(totals))],
  ];
  return el(
    "dl",
    { class: "figures" },
    ...rows.map(([name, text]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, text(now)), el("dd", {}, `${text(before)} before`)),
    ),
  );
}

const outcomes: readonly {
  readonly part: ChartPart;
  readonly outcome: "completed" | "failed" | "cancelled";
}[] = [
  { part: "solid", outcome: "completed" },
  { part: "hatched", outcome: "failed" },
  { part: "dotted", outcome: "cancelled" },
];

export function runsByDay({ rows, total }: UsageReport): Element {
  const bars = rows.map(
    (row): StackedBar => ({
      name: row.key ?? "",
      values: Object.fromEntries(outcomes.map(({ part, outcome }) => [part, row.runs[outcome]])),
      text: `${row.key}: ${outcomes.map(({ outcome }) => `${countText(row.runs[outcome])} ${outcome}`).join(", ")}`,
    }),
  );
  const highest = Math.max(0, ...rows.map(runsOf));
  return stackedChart({
    id: "runs-by-day",
    label: `Runs by day: ${countText(runsOf(total))} in all, at most ${countText(highest)} a day.`,
    legend: outcomes.map(({ part, outcome }) => ({ part, text: outcome })),
    bars,
    highestText: `Highest day: ${countText(highest)}`,
  });
}

export function costByDay({ rows, total }: UsageReport): Element {
  const bars = rows.map(
    (row): StackedBar => ({
      name: row.key ?? "",
      values: { solid: Math.max(0, chargedOf(row)) },
      text: `${row.key}: ${creditsOfMicroUsd(chargedOf(row))} credits`,
    }),
  );
  const highest = Math.max(0, ...rows.map(chargedOf));
  const chart = stackedChart({
    id: "cost-by-day",
    label: `Cost by day: ${creditsOfMicroUsd(chargedOf(total))} credits in all, at most ${creditsOfMicroUsd(highest)} a day.`,
    legend: [],
    bars,
    highestText: `Highest day: ${creditsOfMicroUsd(highest)} credits`,
  });
  return el("div", { class: "cost" }, chart);
}

/** The dearest rows as bars. */
export function barsOf({ by, rows, others }: UsageReport, label: string): Element {
  const rest = rows.length > MAX_BARS || others !== null ? "The table has all of them." : null;
  const bars = rows.slice(0, MAX_BARS).map((row) => ({
    name: rowName(by, row),
    value: Math.max(0, chargedOf(row)),
    text: `${creditsOfMicroUsd(chargedOf(row))} · ${plural(runsOf(row), "run")}`,
  }));
  return el(
    "div",
    { class: "chart" },
    barList(label, bars),
    rest === null ? null : el("p", { class: "faint" }, rest),
  );
}

/** An agent leads to its own usage: the agent itself may be deleted. */
function rowName(by: UsageBy, row: UsageRow): Contents {
  const name = nameOf(by, row);
  return by === "agent" && row.key !== null ? el("a", { href: `/usage?agent=${row.key}` }, name) : name;
}

const columns = [
  "Completed",
  "Failed",
  "Cancelled",
  "Delegated",
  "Checks passed",
  "Checks failed",
  "Tokens",
  "Credits",
  "US dollars",
] as const;
const REVIEW_COLUMN = "Findings fixed";

const titles: Readonly<Record<UsageBy, string>> = {
  day: "Day (UTC)",
  agent: "Agent",
  repository: "Repository",
  model: "Model",
  person: "Person",
  origin: "Origin",
};

/** All rows, behind one line, with the address of the same as CSV. */
export function tableOf(report: UsageReport, { csv }: { readonly csv: string }): Element {
  const { by } = report;
  const shown =
    by === "day" ? report.rows.filter((row) => runsOf(row) + row.runs.delegated > 0) : report.rows;
  const names = isOfReviews(by) ? [...columns, REVIEW_COLUMN] : columns;
  const cells = (totals: UsageTotals) =>
    cellsOf(totals)
      .slice(0, names.length)
      .map((text) => el("td", { class: "number" }, text));
  const line = (name: Contents, totals: UsageTotals) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...cells(totals));
  return el(
    "details",
    {},
    el("summary", {}, "Table"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Usage by ${titles[by].toLowerCase()}` },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, titles[by]),
            ...names.map((name) => el("th", { scope: "col", class: "number" }, name)),
          ),
        ),
        el(
          "tbody",
          {},
          ...shown.map((row) => line(rowName(by, row), row)),
          report.others === null ? null : line("All others", report.others),
          line("Total", report.total),
        ),
      ),
    ),
    el("p", {}, el("a", { href: csv, download: true }, "Download as CSV")),
  );
}

function cellsOf(totals: UsageTotals): readonly string[] {
  const { runs, checks, tokens } = totals;
  const numbers = [
    runs.completed,
    runs.failed,
    runs.cancelled,
    runs.delegated,
    checks.passed,
    checks.failed,
    tokens,
  ];
  const charged = chargedOf(totals);
  return [
    ...numbers.map(countText),
    ...[creditsOfMicroUsd(charged), dollarsText(charged), percent(resolutionRate(totals))],
  ];
}

/** What a file counts of reviews, with the names of its columns. */
const reviewColumns = {
  pull_requests: "pull_requests",
  reviews: "reviews",
  found: "findings",
  fixed: "findings_fixed",
  declined: "findings_declined",
  withdrawn: "findings_withdrawn",
  open: "findings_open",
} as const;
const reviewFields = Object.keys(reviewColumns) as (keyof typeof reviewColumns)[];

/** The table as a file has it: amounts exactly, in micro-USD. Cells of reviews are empty where they are not told. */
export function usageCsv(report: UsageReport): readonly (readonly CsvCell[])[] {
  const line = (key: string, name: string, totals: UsageTotals): readonly CsvCell[] => {
    const { runs, checks, reviews, tokens, gross_micro_usd: gross, refunded_micro_usd: refunded } = totals;
    return [
      key,
      name,
      ...[runs.completed, runs.failed, runs.cancelled, runs.delegated],
      ...[checks.passed, checks.failed, checks.none],
      ...[tokens, gross, refunded],
      ...reviewFields.map((name) => reviews?.[name] ?? ""),
    ];
  };
  const named = ["name", "completed", "failed", "cancelled", "delegated"];
  const checked = ["checks_passed", "checks_failed", "checks_none"];
  return [
    [
      report.by,
      ...named,
      ...checked,
      "tokens",
      "gross_micro_usd",
      "refunded_micro_usd",
      ...Object.values(reviewColumns),
    ],
    ...report.rows.map((row) => line(row.key ?? "", nameOf(report.by, row), row)),
    ...(report.others === null ? [] : [line("", "All others", report.others)]),
  ];
}
