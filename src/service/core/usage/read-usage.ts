// GET /v1/account/usage: what an account's runs used, by day or by what they have in common.
// Why: docs/decisions/156-what-a-days-usage-counts.md

import { isOfReviews, MAX_USAGE_DAYS, MAX_USAGE_ROWS, type UsageBy } from "../../../contract/money/usage.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import { starterOfPerson } from "../accounts/person.ts";
import type { Core } from "../core.ts";
import { accountWallet } from "../money/ledger.ts";
import type { UsageGroup, UsageSums } from "./store-port.ts";

const DAY_MS = 86_400_000;

type UsageRequest = {
  readonly caller: Pick<AccountCaller, "accountId">;
  /** Days (UTC) as `2026-11-28`; both count. See `daysOf` for how many there may be. */
  readonly from: string;
  readonly to: string;
  readonly by: UsageBy;
  readonly agentId: string | null;
};

export type SummedUsage = {
  /** Each day in order, or the dearest first. */
  readonly groups: readonly UsageGroup[];
  readonly others: UsageSums | null;
  readonly total: UsageSums;
};

export const noSums: UsageSums = {
  pullRequests: 0,
  reviews: 0,
  findingsOpen: 0,
  findingsFixed: 0,
  findingsDeclined: 0,
  findingsWithdrawn: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  delegated: 0,
  checksPassed: 0,
  checksFailed: 0,
  checksNone: 0,
  tokens: 0,
  grossMicroUsd: 0,
  refundedMicroUsd: 0,
};

/** As `2026-11-28`. */
export function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The days of a request that may leave them out: up to today, and 30 of them. */
export function spanOf({
  now,
  to = dayAt(now),
  from = dayAt(Date.parse(to) - 29 * DAY_MS),
}: {
  readonly now: number;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Pick<UsageRequest, "from" | "to"> {
  return { from, to };
}

/** How many days a request is about: not below 1, and `MAX_USAGE_DAYS` at most. */
export function daysOf({ from, to }: Pick<UsageRequest, "from" | "to">): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/**
 * The runs that the account's credits have paid for, each on the day that it ended, and the pull requests whose newest review they
 * were.
 */
export async function readUsage(core: Pick<Core, "store">, request: UsageRequest): Promise<SummedUsage> {
  const { caller, from, to, by, agentId } = request;
  const [since, until] = [Date.parse(from), Date.parse(to) + DAY_MS];
  const { usage } = core.store.committed;
  const span = { billingAccount: accountWallet(caller.accountId), agentId, since, until };
  const maxGroups = by === "day" ? MAX_USAGE_DAYS : MAX_USAGE_ROWS;
  const found = await usage.sum({ ...span, by, maxGroups });
  const reviews = isOfReviews(by) ? {} : await usage.sumReviews(span);
  const summed = found.filter(({ isOthers }) => isOthers !== true);
  const groups = by === "person" ? await withNames(core, caller.accountId, summed) : summed;
  return {
    groups: by === "day" ? everyDay(groups, { since, until }) : groups,
    others: found.find(({ isOthers }) => isOthers === true) ?? null,
    total: { ...found.reduce<UsageSums>(added, noSums), ...reviews },
  };
}

/** Names of the people who are in the account still. */
async function withNames(
  { store }: Pick<Core, "store">,
  accountId: string,
  groups: readonly UsageGroup[],
): Promise<readonly UsageGroup[]> {
  const members = await store.committed.people.listMembers(accountId);
  const names = new Map(members.map(({ personId, name }) => [starterOfPerson(personId), name]));
  return groups.map((group) => {
    const name = names.get(group.key ?? "") ?? "";
    return name === "" ? group : { ...group, name };
  });
}

function everyDay(
  groups: readonly UsageGroup[],
  { since, until }: { since: number; until: number },
): UsageGroup[] {
  const byDay = new Map(groups.map((group) => [group.key, group]));
  return Array.from({ length: (until - since) / DAY_MS }, (_, index) => {
    const key = dayAt(since + index * DAY_MS);
    return byDay.get(key) ?? { ...noSums, key };
  });
}

function added(one: UsageSums, other: UsageSums): UsageSums {
  const fields = Object.keys(noSums) as (keyof UsageSums)[];
  return Object.fromEntries(fields.map((name) => [name, one[name] + other[name]])) as UsageSums;
}
