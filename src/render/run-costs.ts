// The costs of a run, in the same figures on every face: page, summary, comment, MCP and command. Pure.

import type { Run, RunBudget } from "../contract/runs/run.ts";
import { dollarsText, plural } from "./quantities.ts";

/**
 * What its models cost by known prices, whoever pays, beside the run's limit: `$0.42 of $2.00`. Null where nothing was
 * used, or no price is known. What is charged for the run is its credits.
 */
export function modelCostText(budget: RunBudget | null | undefined): string | null {
  const cost = budget?.cost_micro_usd;
  if (cost === undefined || cost === 0) return null;
  const limit = budget?.max_cost_micro_usd;
  return `${dollarsText(cost)}${limit === undefined ? "" : ` of ${dollarsText(limit)}`}`;
}

/** The costs in a command's last line about a run: credits, tokens, what its models cost. */
export function costParts(run: Run, { isCharged = true } = {}): string[] {
  const { credits, tokens } = run;
  const cost = "budget" in run ? modelCostText(run.budget) : null;
  // Nobody knows before its end.
  const isSettled = "ended_at" in run;
  return [
    ...(isCharged && isSettled ? [credits === null ? "unknown credits" : plural(credits, "credit")] : []),
    ...(tokens === null ? [] : [plural(tokens, "token")]),
    ...(cost === null ? [] : [cost]),
  ];
}

/** Credits that are no whole number, of one role among several. */
export function creditsText(credits: number): string {
  return credits.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
