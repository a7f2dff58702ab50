// Why a CI job is refused. Pure.

import type { ExchangeReason } from "../../../contract/problems/problem.ts";

/** `expected` and `got` repeat claims of the token: they are filled only after its signature has passed. */
export type ExchangeRefusal = {
  readonly reason: ExchangeReason;
  readonly detail: string;
  readonly expected?: string;
  readonly got?: string;
};

/** Why a job gets no token for the account of its repository's owner. */
export type MintRefusal = {
  readonly reason: "repository_unclaimed" | "mint_off" | "mint_event_refused";
  readonly detail: string;
};

export type PullRequestRefusal =
  | { readonly reason: "pull_request_needs_job" }
  | { readonly reason: "pull_request_unsupported"; readonly provider: string; readonly allowed: string };

/** The owner's cap a day leaves nothing for a run. Amounts are micro-USD; `usedMicroUsd` includes what runs at work may cost. */
export type DayCapRefusal = {
  readonly reason: "day_cap_reached";
  readonly agentId: string;
  readonly capMicroUsd: number;
  readonly usedMicroUsd: number;
  readonly resetsAt: number;
};

/** The owner has set a policy since the job's capability was issued. */
export type PolicyRefusal = {
  readonly reason: "policy_refused_since";
  readonly detail: string;
  readonly expected: string;
  readonly got: string;
};
