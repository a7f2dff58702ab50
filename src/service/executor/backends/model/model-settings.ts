// The operator's model settings: endpoint, models, and limits of a run.

import type { Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/ids.ts";
import type { Rates } from "../../../core/money/rates.ts";
import type { Toolbox } from "./toolbox.ts";

export type ModelProvider = "openai-compatible" | "anthropic";

export type ModelLimits = {
  /** Answers of the model in one run. */
  readonly maxTurns: number;
  /** Tokens of one answer. */
  readonly maxOutputTokens: number;
  /** Tokens that the model takes in one request, its answer included. */
  readonly contextTokens: number;
  /** Tokens that a run may use that names no number of its own, in and out. */
  readonly defaultMaxTurnTokens: number;
  /** Questions to the advisor in one run. */
  readonly advisorCalls: number;
  /** How long one answer may take in all, until it begins, and between two of its pieces. */
  readonly requestTimeoutMs: number;
  readonly firstChunkTimeoutMs: number;
  readonly idleTimeoutMs: number;
};

export type ModelSettings = Partial<ModelLimits> & {
  readonly provider: ModelProvider;
  /** Null: the provider's own, which only Anthropic has. */
  readonly baseUrl: string | null;
  /** Null where the server needs none. Never in an event, a message or a log. */
  readonly apiKey: string | null;
  /** Slugs. An agent's own model wins over `executor`; null: the run has no such role. */
  readonly models: {
    readonly executor: string;
    readonly advisor: string | null;
    readonly reviewer: string | null;
  };
  /** What a token costs, by the model's slug. */
  readonly rates: Rates;
  readonly toolbox: Toolbox;
  readonly clock: Clock;
  readonly random: Pick<Random, "fraction">;
};

export const defaultLimits: ModelLimits = {
  maxTurns: 60,
  maxOutputTokens: 16_000,
  contextTokens: 200_000,
  defaultMaxTurnTokens: 1_000_000,
  advisorCalls: 5,
  requestTimeoutMs: 900_000,
  firstChunkTimeoutMs: 180_000,
  idleTimeoutMs: 120_000,
};
