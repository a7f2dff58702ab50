// Usage of a run's model calls, by the role of the model. Pure.

export const modelRoles = ["executor", "advisor", "reviewer"] as const;
export type ModelRole = (typeof modelRoles)[number];

export type RoleUsage = {
  /** Model tokens, in and out. */
  readonly tokens: number;
  /** Model calls. */
  readonly calls: number;
  readonly microUsd: number;
  /** Some of it is this service's estimate: a model's server reported nothing, or what cannot be. */
  readonly isEstimated?: true;
};

type Amount = "tokens" | "calls" | "microUsd";

/** Use of the shared budget by a run and its children. Amounts of money are by known prices, whoever pays. */
export type BudgetUse = {
  /** Tokens as a budget counts them: input from a cache by its price relative to other input. */
  readonly countedTokens: number;
  /** Of the run's own input, and how much of it came from a cache. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** Null where a model was asked that has no known price. */
  readonly costMicroUsd: number | null;
  /** Null: no limit. */
  readonly maxTokens: number | null;
  readonly maxCostMicroUsd: number | null;
};

/** Usage of one model of a run, whoever pays: a run has several where it has other roles, or a fallback. */
export type ModelUsage = {
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  /** The part of the input that came from a cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** By known prices; null where it has none. */
  readonly costMicroUsd: number | null;
};

export type Usage = {
  readonly roles: Readonly<Partial<Record<ModelRole, RoleUsage>>>;
  /** In the order of their first calls. Absent where nobody knows, and of earlier versions. */
  readonly models?: readonly ModelUsage[];
  /** The limits of the run's advisor; null where it had none. */
  readonly advisor: AdvisorTerms | null;
  /** Absent where nobody knows: of runs whose worker was lost, and of earlier versions. */
  readonly budget?: BudgetUse;
};

export type AdvisorTerms = {
  readonly callsAllowed: number;
  /** Null: no cap. */
  readonly spendCapMicroUsd: number | null;
};

export const noUsage: Usage = { roles: {}, advisor: null };

/** More than any run uses; sums of it are still exact. */
const MAX_AMOUNT = 1_000_000_000_000;

/** The same usage in amounts that a record can have: whole, not negative, bounded. Marked where that changed one. */
export function boundedUsage(used: RoleUsage): RoleUsage {
  const tokens = boundedAmount(used.tokens);
  const calls = boundedAmount(used.calls);
  const microUsd = boundedAmount(used.microUsd);
  const isSame = tokens === used.tokens && calls === used.calls && microUsd === used.microUsd;
  return { tokens, calls, microUsd, ...(isSame && used.isEstimated !== true ? {} : { isEstimated: true }) };
}

function boundedAmount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), 0), MAX_AMOUNT);
}

/** Another coding agent may name any number of models, and anything as their names. */
const MAX_MODELS = 20;
const MAX_MODEL_CHARS = 200;

/** With one more call. Models beyond a bound are counted together, without a name. */
export function withModelCall(
  models: readonly ModelUsage[],
  { model, ...call }: Omit<ModelUsage, "calls">,
): readonly ModelUsage[] {
  const name = model.slice(0, MAX_MODEL_CHARS);
  const known = models.some((one) => one.model === name) || models.length < MAX_MODELS - 1 ? name : "";
  const before = models.find((one) => one.model === known) ?? { ...noModelUsage, model: known };
  const cost =
    before.costMicroUsd === null || call.costMicroUsd === null
      ? null
      : boundedAmount(before.costMicroUsd + call.costMicroUsd);
  const after = {
    model: known,
    calls: before.calls + 1,
    inputTokens: boundedAmount(before.inputTokens + call.inputTokens),
    cachedInputTokens: boundedAmount(before.cachedInputTokens + call.cachedInputTokens),
    outputTokens: boundedAmount(before.outputTokens + call.outputTokens),
    costMicroUsd: cost,
  };
  return models.includes(before) ? models.map((one) => (one === before ? after : one)) : [...models, after];
}

const noModelUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

export function sumOf(usage: Usage, field: Amount): number {
  return Object.values(usage.roles).reduce((sum, role) => sum + role[field], 0);
}

/**
 * The same usage with costs that sum to `microUsd`: the fee of the run is added to the executor, and costs beyond the hold
 * are subtracted, from the executor first.
 */
export function chargedUsage(usage: Usage, microUsd: number): Usage {
  let excess = sumOf(usage, "microUsd") - microUsd;
  const roles: Partial<Record<ModelRole, RoleUsage>> = {};
  for (const role of modelRoles) {
    const used = usage.roles[role] ?? { tokens: 0, calls: 0, microUsd: 0 };
    const taken = role === "executor" && excess < 0 ? excess : Math.min(Math.max(excess, 0), used.microUsd);
    excess -= taken;
    const charged = { ...used, microUsd: used.microUsd - taken };
    if (charged.microUsd > 0 || charged.calls > 0) roles[role] = charged;
  }
  return { ...usage, roles };
}
