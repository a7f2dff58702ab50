// The result of an eval: solved before and after, cost, turns and time, a task a line, and one verdict. Pure.

import { escapeMarkdown } from "../render/markdown.ts";
import { comparePairs, type PairedComparison, SIGNIFICANCE } from "./paired-test.ts";
import type { PlayResult, Side } from "./results.ts";
import { type EvalTask, taskTitle } from "./task.ts";

export const COMMENT_MARKER = "<!-- agent-service:eval -->";
const MAX_TITLE_CHARS = 90;

type Sum = {
  readonly plays: number;
  readonly solved: number;
  /** Null where a price is not known. */
  readonly costMicroUsd: number | null;
  readonly turns: number;
  readonly ms: number;
};

type TaskLine = { readonly title: string; readonly commit: string } & Readonly<Record<Side, Sum>>;

export type EvalReport = {
  readonly verdict: string;
  readonly comparison: PairedComparison;
  readonly tasks: readonly TaskLine[];
  readonly total: Readonly<Record<Side, Sum>>;
  /** Plays that say nothing: they did not begin, were cut by the budget, or failed by a fault of model or machine. */
  readonly uncounted: { readonly skipped: number; readonly unfinished: number; readonly faulty: number };
  readonly spentMicroUsd: number;
  readonly maxCostMicroUsd: number;
};

type ReportOptions = {
  readonly tasks: readonly EvalTask[];
  readonly results: readonly PlayResult[];
  readonly skipped: number;
  readonly spentMicroUsd: number;
  readonly maxCostMicroUsd: number;
};

/** Of each task as many plays of one version count as of the other: the first ones, in pairs. */
export function evalReport({ tasks, results, ...spent }: ReportOptions): EvalReport {
  const lines = tasks.map((task): TaskLine => {
    const pairs = pairsOf(results.filter(({ commit }) => commit === task.commit));
    const sumOf = (side: Side) => summed(pairs.map((pair) => pair[side]));
    return { title: taskTitle(task), commit: task.commit, base: sumOf("base"), head: sumOf("head") };
  });
  const comparison = comparePairs(
    lines.map(({ base, head }) => ({ base: base.solved, head: head.solved, plays: base.plays })),
  );
  const count = (type: PlayResult["type"]) => results.filter((result) => result.type === type).length;
  return {
    verdict: verdictText(comparison),
    comparison,
    tasks: lines,
    total: { base: added(lines.map(({ base }) => base)), head: added(lines.map(({ head }) => head)) },
    uncounted: { skipped: spent.skipped, unfinished: count("unfinished"), faulty: count("faulty") },
    spentMicroUsd: spent.spentMicroUsd,
    maxCostMicroUsd: spent.maxCostMicroUsd,
  };
}

function pairsOf(results: readonly PlayResult[]): readonly Readonly<Record<Side, PlayResult>>[] {
  const evidence = results.filter(({ type }) => type === "solved" || type === "unsolved");
  return evidence
    .filter(({ side }) => side === "base")
    .toSorted((one, other) => one.repeat - other.repeat)
    .flatMap((base) => {
      const head = evidence.find(({ side, repeat }) => side === "head" && repeat === base.repeat);
      return head === undefined ? [] : [{ base, head }];
    });
}

function summed(results: readonly PlayResult[]): Sum {
  return added(
    results.map(({ type, costMicroUsd, turns, ms }) => ({
      plays: 1,
      solved: type === "solved" ? 1 : 0,
      costMicroUsd,
      turns,
      ms,
    })),
  );
}

function added(sums: readonly Sum[]): Sum {
  return sums.reduce(
    (total, one) => ({
      plays: total.plays + one.plays,
      solved: total.solved + one.solved,
      costMicroUsd:
        total.costMicroUsd === null || one.costMicroUsd === null
          ? null
          : total.costMicroUsd + one.costMicroUsd,
      turns: total.turns + one.turns,
      ms: total.ms + one.ms,
    }),
    { plays: 0, solved: 0, costMicroUsd: 0, turns: 0, ms: 0 },
  );
}

function verdictText({ verdict, p, n, smallestP }: PairedComparison): string {
  switch (verdict) {
    case "better":
      return `head is better (p = ${shownP(p)}, n = ${n})`;
    case "worse":
      return `head is worse (p = ${shownP(p)}, n = ${n})`;
    case "no_difference": {
      const why = smallestP > SIGNIFICANCE ? "; so few tasks cannot show one" : `, p = ${shownP(p)}`;
      return `no significant difference (n = ${n}${why})`;
    }
  }
}

function shownP(p: number): string {
  return p < 0.001 ? p.toExponential(1) : p.toFixed(3);
}

/** The comment and the summary, in Markdown, with the marker by which the comment is found again. */
export function renderReport(report: EvalReport): string {
  const { verdict, comparison, tasks, total, uncounted, spentMicroUsd, maxCostMicroUsd } = report;
  const rows = tasks.map(({ title, base, head }) =>
    rowOf(escapeMarkdown(title, MAX_TITLE_CHARS), { base, head }),
  );
  return [
    `## Eval of the agent's instructions: ${verdict}`,
    "",
    "| Task | Solved before | after | Cost before | after | Turns before | after | Time before | after |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ...rows,
    rowOf(`**In sum, ${tasks.length} tasks**`, total),
    "",
    `${dollars(spentMicroUsd)} of ${dollars(maxCostMicroUsd)} spent.${uncountedText(uncounted)}`,
    "",
    `Exact paired permutation test over ${comparison.n} tasks, two-sided, at ${SIGNIFICANCE}. The tasks are commits of this repository; their own tests judge.`,
    "",
    COMMENT_MARKER,
    "",
  ].join("\n");
}

function rowOf(title: string, { base, head }: Readonly<Record<Side, Sum>>): string {
  const both = (cell: (sum: Sum) => string) => [base, head].map((sum) => (sum.plays === 0 ? "–" : cell(sum)));
  const cells = [
    ...both(({ solved, plays }) => `${solved}/${plays}`),
    ...both(({ costMicroUsd }) => (costMicroUsd === null ? "not known" : dollars(costMicroUsd))),
    ...both(({ turns }) => String(turns)),
    ...both(({ ms }) => `${(ms / 1000).toFixed(0)} s`),
  ];
  return `| ${[title, ...cells].join(" | ")} |`;
}

function uncountedText({ skipped, unfinished, faulty }: EvalReport["uncounted"]): string {
  const parts = [
    ...(skipped > 0 ? [`${skipped} did not begin, as the budget was used`] : []),
    ...(unfinished > 0 ? [`${unfinished} were cut by the budget or interrupted`] : []),
    ...(faulty > 0 ? [`${faulty} failed by a fault that is not the agent's`] : []),
  ];
  return parts.length === 0 ? "" : ` Plays that do not count: ${parts.join(", ")}.`;
}

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(microUsd < 10_000 ? 4 : 2)}`;
}
