// Actions that wait for an approval, and its effect: each kind of action belongs to a noun, which has it beside its use cases.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import type { ApprovalAction } from "./approval.ts";

declare module "../core.ts" {
  interface Core {
    readonly approvables: Approvables;
  }
}

export type ActionKind = ApprovalAction["kind"];
export type ActionOf<Kind extends ActionKind> = Extract<ApprovalAction, { readonly kind: Kind }>;

/** Why an act is refused, by its kind: the kind's noun declares it. One that is missing does not compile. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared by the nouns.
export interface ActRefusals {}
export type ActRefusal = ActRefusals[ActionKind];

export type Approved<Kind extends ActionKind> = {
  /** The owner, who has approved it. */
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly action: ActionOf<Kind>;
  readonly submitter: RunSubmitter;
  /** Records the decision, in the transaction of the act. `runId`: the run that the act has made. */
  readonly alongside: (tx: StoreTransaction, made: { readonly runId: string | null }) => Promise<void>;
};

export type Approvable<Kind extends ActionKind> = {
  /** Does what was requested. What is refused has written nothing. */
  approve(core: Core, approved: Approved<Kind>): Promise<Result<null, ActRefusals[Kind]>>;
  /** The effect of a denial, in the transaction that records it. Default: nothing. */
  deny?(tx: StoreTransaction, action: ActionOf<Kind>): Promise<unknown>;
  /** After either is committed. */
  decided?(core: Core): void;
};

type Approvables = { readonly [Kind in ActionKind]: Approvable<Kind> };

/** The effect of an act within one transaction. */
type Act<Kind extends ActionKind> = (
  core: Core,
  tx: StoreTransaction,
  act: { readonly agentId: string; readonly action: ActionOf<Kind> },
) => Promise<Result<unknown, ActRefusals[Kind]>>;

/** The act was refused: its transaction is undone. */
class ActRefusedError<Refusal> extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super("The act was refused.");
    this.refusal = refusal;
  }
}

/** `approve` of an act that is one transaction, which holds the agent's lock. */
export function inTransaction<Kind extends ActionKind>(
  act: Act<Kind>,
): (core: Core, approved: Approved<Kind>) => Promise<Result<null, ActRefusals[Kind] | AgentRefusal>> {
  return async (core, { caller, agentId, action, alongside }) => {
    type Refusal = ActRefusals[Kind] | AgentRefusal;
    try {
      await core.store.transact(async (tx) => {
        // An agent that was given back meanwhile is not this owner's to decide about.
        const agent = await tx.agents.lock(agentId);
        if (agent === null || agent.accountId !== caller.accountId)
          throw new ActRefusedError<Refusal>({ reason: "agent_of_another", agentId });
        const acted = await act(core, tx, { agentId, action });
        if (!acted.ok) throw new ActRefusedError<Refusal>(acted.refusal);
        await alongside(tx, { runId: null });
      });
    } catch (cause) {
      if (cause instanceof ActRefusedError) return refused(cause.refusal as Refusal);
      throw cause;
    }
    return ok(null);
  };
}
