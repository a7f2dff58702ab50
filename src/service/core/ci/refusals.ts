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
