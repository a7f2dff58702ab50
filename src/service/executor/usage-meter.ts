// The meter of a run's calls of models and tools: their cost so far, and whether its billing account can pay for one more.

import { priceInMicroUsd, RUN_FEE_MICRO_USD } from "../core/money/ledger.ts";
import type { ToolRate } from "../core/money/rates.ts";
import {
  type AdvisorTerms,
  boundedUsage,
  type ModelRole,
  type ModelUsage,
  type RoleUsage,
  sumOf,
  type Usage,
  withModelCall,
} from "../core/runs/usage.ts";
import { type BudgetState, RunBudget } from "./run-budget.ts";
import { TurnMeter, type TurnPart, type TurnState } from "./turn-meter.ts";

type ModelUse = {
  readonly role: ModelRole;
  /** In and out. */
  readonly tokens: number;
  readonly microUsd: number;
  /** The tokens are an estimate. */
  readonly isEstimated?: boolean;
  /** Left out where nobody knows which model it was. */
  readonly model?: Omit<ModelUsage, "calls">;
  /** The call, as it was reserved. Default: the one call of its role. */
  readonly call?: CallKey;
  /** Left out where the turn does not have its answer. */
  readonly turn?: TurnPart;
};

/** The key of a reservation: a role that makes one call at a time, or an object for each of several calls at once. */
export type CallKey = ModelRole | object;

type UsageMeterOptions = {
  readonly holdMicroUsd: number;
  /** Raises the hold on the billing account. False when its credits do not suffice, or this worker has lost the run. */
  readonly raiseHold: (microUsd: number) => Promise<boolean>;
  /** The cost of the run so far beside its models and tools. Default: the fee of a run. */
  readonly costOfTime?: () => number;
  /** Default: every tool is free. */
  readonly toolRates?: readonly ToolRate[];
  /** Uses one of the calls that the billing account has for nothing. False when none is left. */
  readonly takeFreeCall?: (rate: ToolRate) => Promise<boolean>;
  /** Default: without limits. */
  readonly budget?: RunBudget;
};

/** What a run has used. */
export type MeterState = {
  readonly usage: Usage;
  readonly budget: BudgetState;
  /** Absent: an earlier version has left none. */
  readonly turn?: TurnState;
};

export class UsageMeter {
  /** The budget of the run and its children, whoever pays for it. */
  readonly budget: RunBudget;
  /** Of the turn that is under way. */
  readonly turn = new TurnMeter();
  readonly #options: UsageMeterOptions;
  #holdMicroUsd: number;
  #usage: Usage = { roles: {}, advisor: null };
  /** Reservations of calls that are under way. */
  readonly #reserved = new Map<CallKey, number>();
  #last: Promise<boolean> = Promise.resolve(true);

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.budget = options.budget ?? new RunBudget({ maxTokens: 0, maxCostMicroUsd: null });
    this.#holdMicroUsd = options.holdMicroUsd;
  }

  /** Without what is reserved. */
  get state(): MeterState {
    return { usage: this.#usage, budget: this.budget.state, turn: this.turn.state };
  }

  /** Goes on from what another worker has counted. */
  resume({ usage, budget, turn }: MeterState): void {
    this.#usage = usage;
    this.budget.resume(budget);
    if (turn !== undefined) this.turn.resume(turn);
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** What is held for the run by now. */
  get heldMicroUsd(): number {
    return this.#holdMicroUsd;
  }

  /** Records that the run has an advisor, and its limits. */
  grantAdvisor(advisor: AdvisorTerms): void {
    this.#usage = { ...this.#usage, advisor };
  }

  /** Counts one model call, in place of what was reserved for it. An amount that cannot be is bounded, and marked. */
  count({ role, tokens, microUsd, isEstimated = false, model, call = role, turn }: ModelUse): void {
    this.release(call);
    if (model !== undefined) {
      this.#usage = { ...this.#usage, models: withModelCall(this.#usage.models ?? [], model) };
      if (turn !== undefined) this.turn.count({ ...turn, ...model, calls: 1 });
    }
    this.#add(role, { tokens, calls: 1, microUsd, ...(isEstimated ? { isEstimated } : {}) });
  }

  /**
   * Makes sure that a call of at most `microUsd` can be paid in addition to everything counted so far and to what is
   * reserved for others: raises the hold if it has to. False when it cannot: the call must not be made.
   */
  async reserve(microUsd: number, call: CallKey = "executor"): Promise<boolean> {
    return await this.#inTurn(async () => {
      this.#reserved.set(call, microUsd);
      if (await this.#holdAll()) return true;
      this.release(call);
      return false;
    });
  }

  /** Forgets what was reserved for a call that will not be counted. */
  release(call: CallKey): void {
    this.#reserved.delete(call);
  }

  /** Pays for one call of a tool, by its published price. False when the credits do not suffice: it must not be made. */
  async payForTool(name: string): Promise<boolean> {
    const rate = this.#options.toolRates?.find(({ tool }) => tool === name);
    if (rate === undefined || rate.mode === "free" || rate.credits === 0) return true;
    if (rate.freePerMonth > 0 && (await this.#options.takeFreeCall?.(rate)) === true) return true;
    const microUsd = priceInMicroUsd(rate.credits);
    return await this.#inTurn(async () => {
      if (!(await this.#holdAll(microUsd))) return false;
      this.#add("executor", { tokens: 0, calls: 0, microUsd });
      return true;
    });
  }

  #add(role: ModelRole, use: RoleUsage): void {
    const before = this.#usage.roles[role] ?? { tokens: 0, calls: 0, microUsd: 0 };
    const { isEstimated, ...added } = boundedUsage(use);
    const after = boundedUsage({
      tokens: before.tokens + added.tokens,
      calls: before.calls + added.calls,
      microUsd: before.microUsd + added.microUsd,
      ...(before.isEstimated === true || isEstimated === true ? { isEstimated: true } : {}),
    });
    this.#usage = { ...this.#usage, roles: { ...this.#usage.roles, [role]: after } };
  }

  /** One after the other: no two calls are paid with the same credits, and none holds more than it needs. */
  async #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => false);
    return await done;
  }

  /** Holds everything counted and reserved, and `microUsd` beside it. */
  async #holdAll(microUsd = 0): Promise<boolean> {
    const { raiseHold, costOfTime = () => RUN_FEE_MICRO_USD } = this.#options;
    const reserved = [...this.#reserved.values()].reduce((sum, amount) => sum + amount, 0);
    const needed = costOfTime() + sumOf(this.#usage, "microUsd") + reserved + microUsd;
    const missing = Math.ceil(needed - this.#holdMicroUsd);
    if (missing <= 0) return true;
    if (!(await raiseHold(missing))) return false;
    this.#holdMicroUsd += missing;
    return true;
  }
}
