// What a run's model calls cost so far, and whether its billing account can pay for one more.

import { RUN_FEE_MICRO_USD } from "../core/money/ledger.ts";
import { type AdvisorTerms, boundedUsage, type ModelRole, sumOf, type Usage } from "../core/runs/usage.ts";

export type ModelUse = {
  readonly role: ModelRole;
  /** In and out. */
  readonly tokens: number;
  readonly microUsd: number;
  /** The tokens are an estimate. */
  readonly isEstimated?: boolean;
};

export type UsageMeterOptions = {
  readonly holdMicroUsd: number;
  /** Raises the hold on the billing account. False when its credits do not suffice, or this worker has lost the run. */
  readonly raiseHold: (microUsd: number) => Promise<boolean>;
};

export class UsageMeter {
  readonly #raiseHold: UsageMeterOptions["raiseHold"];
  #holdMicroUsd: number;
  #usage: Usage = { roles: {}, advisor: null };

  constructor({ holdMicroUsd, raiseHold }: UsageMeterOptions) {
    this.#holdMicroUsd = holdMicroUsd;
    this.#raiseHold = raiseHold;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Records that the run has an advisor, and its limits. */
  grantAdvisor(advisor: AdvisorTerms): void {
    this.#usage = { ...this.#usage, advisor };
  }

  /** Counts one model call. An amount that cannot be is bounded, and marked as an estimate. */
  count({ role, tokens, microUsd, isEstimated = false }: ModelUse): void {
    const before = this.#usage.roles[role] ?? { tokens: 0, calls: 0, microUsd: 0 };
    const use = boundedUsage({ tokens, calls: 1, microUsd, ...(isEstimated ? { isEstimated } : {}) });
    const after = boundedUsage({
      tokens: before.tokens + use.tokens,
      calls: before.calls + use.calls,
      microUsd: before.microUsd + use.microUsd,
      ...(before.isEstimated === true || use.isEstimated === true ? { isEstimated: true } : {}),
    });
    this.#usage = { ...this.#usage, roles: { ...this.#usage.roles, [role]: after } };
  }

  /**
   * Makes sure that a call of at most `microUsd` can be paid in addition to everything counted so far: raises the hold if it has
   * to. False when it cannot: the call must not be made.
   */
  async reserve(microUsd: number): Promise<boolean> {
    const needed = RUN_FEE_MICRO_USD + sumOf(this.#usage, "microUsd") + microUsd;
    const missing = Math.ceil(needed - this.#holdMicroUsd);
    if (missing <= 0) return true;
    if (!(await this.#raiseHold(missing))) return false;
    this.#holdMicroUsd += missing;
    return true;
  }
}
