// The operator's model settings: endpoint, models, and limits of a run.

import type { Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/ids.ts";
import type { Effort, ModelProtocol } from "../../../../contract/models/protocols.ts";
import type { FederatedAccess } from "../../../../federation/provider.ts";
import type { Rates } from "../../../core/money/rates.ts";
import type { OpenServers } from "../../tools/mcp/run-servers.ts";
import type { DescribePlace, OpenProcesses, Toolbox } from "./toolbox.ts";

export type ModelLimits = {
  /** Answers of the model in one run. */
  readonly maxTurns: number;
  /** Tokens of one answer. */
  readonly maxOutputTokens: number;
  /** Tokens that the model takes in one request, its answer included. */
  readonly contextTokens: number;
  /**
   * Tokens that a run may use that names no number of its own, in and out; input from a cache counts by its price. Null: by what else
   * bounds it.
   */
  readonly defaultMaxTurnTokens: number | null;
  /** Questions to the advisor in one run. */
  readonly advisorCalls: number;
  /** The time that one answer may take in all, until it begins, and between two of its pieces. */
  readonly requestTimeoutMs: number;
  readonly firstChunkTimeoutMs: number;
  readonly idleTimeoutMs: number;
};

/** Settings of every run, whichever model it asks. */
export type LoopSettings = Partial<ModelLimits> & {
  readonly toolbox: Toolbox;
  /** Tells a run where its commands are executed. Default: nothing. */
  readonly describePlace?: DescribePlace;
  /** The effort of models. Default: each model's own. */
  readonly effort?: Effort | null;
  /** Commands of a run in the background. Default: there are none. */
  readonly openProcesses?: OpenProcesses;
  /** Starts the MCP servers of a run. Default: none. */
  readonly openServers?: OpenServers;
  readonly clock: Clock;
  readonly random: Pick<Random, "fraction">;
};

export type ModelSettings = LoopSettings & {
  readonly provider: ModelProtocol;
  /** With the version, without a trailing slash. */
  readonly baseUrl: string;
  /** Null where the server needs none. Never in an event, a message or a log. */
  readonly apiKey: string | null;
  /** Wins over provider, base URL and key: requests go to its provider alone, with its token. */
  readonly access: FederatedAccess | null;
  /** Slugs. An agent's own model wins over `executor`; null: the run has no such role. */
  readonly models: {
    readonly executor: string;
    /** Goes on in place of the executor where that does not answer. Default: none does. */
    readonly fallback?: string | null;
    /** Answers questions about the repository. Default: the run's own model does. */
    readonly explorer?: string | null;
    readonly advisor: string | null;
    readonly reviewer: string | null;
  };
  /** The rates of tokens, by the model's slug. */
  readonly rates: Rates;
};

export const defaultLimits: ModelLimits = {
  maxTurns: 200,
  maxOutputTokens: 16_000,
  contextTokens: 200_000,
  defaultMaxTurnTokens: null,
  advisorCalls: 5,
  requestTimeoutMs: 900_000,
  firstChunkTimeoutMs: 180_000,
  idleTimeoutMs: 120_000,
};
