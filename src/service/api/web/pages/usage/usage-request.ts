// The request in the address of the page of usage: a period and an agent. A value that cannot be read is the default. Pure.

import type { Agent } from "../../../../core/agents/agent.ts";
import { dayAt } from "../../../../core/usage/read-usage.ts";

const DAY_MS = 86_400_000;
const MONTHS_SHOWN = 12;
const DEFAULT_DAYS = 30;
const lastDays = [7, 30, 90] as const;

export type Period = {
  /** As the address has it. */
  readonly value: string;
  readonly text: string;
  readonly from: string;
  readonly to: string;
};

/** The periods that the page offers: up to today, and months. */
export function periodsAt(now: number): readonly Period[] {
  const today = dayAt(now);
  const upToToday = lastDays.map((days) => ({
    value: String(days),
    text: `Last ${days} days`,
    from: dayAt(now - (days - 1) * DAY_MS),
    to: today,
  }));
  const { year, month } = { year: new Date(now).getUTCFullYear(), month: new Date(now).getUTCMonth() };
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => {
    const from = dayAt(Date.UTC(year, month - back, 1));
    const to = dayAt(Date.UTC(year, month - back + 1, 0));
    const value = from.slice(0, 7);
    return { value, text: value, from, to: to > today ? today : to };
  });
  return [...upToToday, ...months];
}

/** As many days before it. */
export function periodBefore({ from, to }: Pick<Period, "from" | "to">): Pick<Period, "from" | "to"> {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return { from: dayAt(Date.parse(from) - days * DAY_MS), to: dayAt(Date.parse(from) - DAY_MS) };
}

export type UsageFilter = { readonly period: Period; readonly agent: Agent | null };

export function filterOf(
  query: { readonly period: string | undefined; readonly agent: string | undefined },
  { now, agents }: { now: number; agents: readonly Agent[] },
): UsageFilter {
  const periods = periodsAt(now);
  const period =
    periods.find(({ value }) => value === query.period) ??
    periods.find(({ value }) => value === String(DEFAULT_DAYS));
  if (period === undefined) throw new TypeError("The default period is not offered.");
  return { period, agent: agents.find(({ id }) => id === query.agent) ?? null };
}

/** The address of a page or a table with the same filter. */
export function addressOf(
  path: string,
  { period, agent }: UsageFilter,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ period: period.value, ...more });
  if (agent !== null) query.set("agent", agent.id);
  return `${path}?${query}`;
}
