// Makes an agent of an account by name, within its plan, or finds the one of that name.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CreateAgentRequest } from "../../../contract/agents/agent.ts";
import type { Account } from "../accounts/account.ts";
import type { Core } from "../core.ts";
import type { ModelRate } from "../money/rates.ts";
import { fieldsOn } from "../ports/record-fields.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { type Agent, newAgent } from "./agent.ts";
import type { CreateAgentRefusal, ModelForbiddenRefusal } from "./refusals.ts";

const fieldsOfAgent = fieldsOn<Agent>();

export type AgentOrder = {
  /** The workspace that it is made with: such an agent is outside of the plan's cap. Default: none. */
  readonly workspaceId?: string | null;
  readonly account: Account;
  readonly body: CreateAgentRequest;
  /** Null: the default model. */
  readonly model: ModelRate | null;
};

export type CreatedAgent = {
  readonly agent: Agent;
  /** True when the agent existed: with the same name, or made with the same key. */
  readonly isExisting: boolean;
};

/** The caller holds the account's lock, so that its agents stay within their cap. */
export async function findOrMakeAgent(
  core: Core,
  tx: StoreTransaction,
  { account, body, model, workspaceId = null }: AgentOrder,
): Promise<Result<CreatedAgent, CreateAgentRefusal>> {
  const { if_exists: ifExists, model: _named, user_id: _notRead, ...fields } = body;
  const { name } = fields;
  if (ifExists === "return") {
    const agent = await tx.agents.findByName({ accountId: account.id, name });
    if (agent !== null) return ok({ agent, isExisting: true });
  }
  const forbidden = model === null ? null : findPlanFault(core, { account, model });
  if (forbidden !== null) return refused(forbidden);
  const terms = core.rates.plans[account.plan];
  if (terms.maxAgents !== null && workspaceId === null) {
    const agents = await tx.agents.count(account.id);
    if (agents >= terms.maxAgents) {
      return refused({ reason: "agent_cap_reached", agents, allowed: terms.maxAgents });
    }
  }
  const now = core.clock.now();
  const agent = newAgent({
    ...fieldsOfAgent(fields),
    id: core.random.uuid(now),
    accountId: account.id,
    model: model?.id ?? null,
    workspaceId,
    backend: core.policy.backend,
    createdAt: now,
  });
  await tx.agents.insert(agent);
  return ok({ agent, isExisting: false });
}

/** Why the account's agents may not ask a model; null where they may. */
export function findPlanFault(
  { rates }: Pick<Core, "rates">,
  { account: { plan }, model }: { readonly account: Pick<Account, "plan">; readonly model: ModelRate },
): ModelForbiddenRefusal | null {
  const mayUse = model.isFreeTierEligible || rates.plans[plan].mayUsePaidModels;
  return mayUse ? null : { reason: "model_forbidden", model: model.id, plan };
}
