// Numbers of usage as people read them, and the names of rows. Pure.

import type { UsageBy, UsageRow, UsageTotals } from "../../../../../contract/money/usage.ts";
import { said } from "../../../../../render/html/element.ts";
import { creditsOf } from "../../../../core/money/ledger.ts";

/** Credits to one place. */
export function creditsOfMicroUsd(microUsd: number): string {
  return creditsOf(microUsd).toLocaleString("en-US", { maximumFractionDigits: 1 });
}

export function runsOf({ runs: { completed, failed, cancelled } }: UsageTotals): number {
  return completed + failed + cancelled;
}

export function chargedOf({ gross_micro_usd: gross, refunded_micro_usd: refunded }: UsageTotals): number {
  return gross - refunded;
}

/** Of those that completed or failed: who cancels a run says nothing of it. Null where there are none. */
export function successRate({ runs: { completed, failed } }: UsageTotals): number | null {
  return shareOf(completed, failed);
}

/** Of runs whose last edit was checked. Null where there are none. */
export function checksRate({ checks: { passed, failed } }: UsageTotals): number | null {
  return shareOf(passed, failed);
}

/** Of the findings of reviews, but for those that were withdrawn, how many are fixed. Null where there are none. */
export function resolutionRate({ reviews }: UsageTotals): number | null {
  return reviews?.resolution_rate ?? null;
}

function shareOf(good: number, bad: number): number | null {
  return good + bad === 0 ? null : good / (good + bad);
}

export function percent(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}

const unknownNames: Readonly<Record<UsageBy, string>> = {
  day: "not known",
  agent: "not known",
  repository: "no repository",
  model: "no model, or not known",
  person: "not known",
  origin: "not known",
};

const originNames: Readonly<Record<string, string>> = {
  user: "asked for",
  schedule: "schedule",
  background: "in the background",
  agent: "delegated by a run",
  agent_result: "result of a delegated run",
};

/** Names of repositories and models are others' words. */
export function nameOf(by: UsageBy, { key, name }: Pick<UsageRow, "key" | "name">): string {
  if (key === null) return unknownNames[by];
  if (by === "origin") return originNames[key] ?? key;
  return said(name ?? key);
}
