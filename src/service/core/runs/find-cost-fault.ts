// Faults of a bound in US dollars: a run can be held to one only where the price of its model is known. Pure.

import type { Agent } from "../agents/agent.ts";
import type { Policy } from "../core.ts";
import { pricesOf } from "../money/model-prices.ts";
import type { Rates } from "../money/rates.ts";
import type { CostRefusal } from "../money/refusals.ts";

/** They ask no model. */
const backendsWithoutModel: readonly string[] = ["offline", "noop"];

type CostBoundRun = {
  readonly agent: Pick<Agent, "backend" | "model">;
  /** The model that the run brings access to; null: it has the service's. */
  readonly broughtModel: string | null;
};

/** Why the run cannot be held to an amount; null where it can. */
export function findCostFault(
  { rates, policy }: { readonly rates: Rates; readonly policy: Pick<Policy, "coderWire" | "defaultModel"> },
  { agent, broughtModel }: CostBoundRun,
): CostRefusal | null {
  if (broughtModel === null && backendsWithoutModel.includes(agent.backend)) return null;
  const { coderWire, defaultModel } = policy;
  if (broughtModel === null && coderWire?.backend === agent.backend && coderWire.wire === null)
    return { reason: "cost_unmeasured" };
  const model = broughtModel ?? agent.model ?? defaultModel;
  const prices = pricesOf(broughtModel === null ? rates : null);
  return prices(model) === null ? { reason: "price_unknown", model } : null;
}
