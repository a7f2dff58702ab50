// The network of one run: granted when it begins, recorded in its stream when it ends.

import { EGRESS_EVENT } from "../../contract/runs/run-event.ts";
import type { Agent } from "../core/agents/agent.ts";
import type { Core } from "../core/core.ts";
import { grantEgress } from "../core/egress/grant.ts";
import type { EgressProvider, EgressRecord } from "../core/egress/run-egress.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { TaskNetwork } from "./backend.ts";
import type { EventWriter } from "./event-writer.ts";
import type { SecretMask } from "./secret-mask.ts";

type RunNetworkParts = {
  readonly core: Core;
  readonly egress: EgressProvider;
  readonly taken: TakenRun;
  readonly writer: EventWriter;
  readonly secrets: SecretMask;
};

const nothing: EgressRecord = { allowed: [], blocked: [] };

export class RunNetwork {
  readonly #parts: RunNetworkParts;
  #granted: TaskNetwork | null = null;

  constructor(parts: RunNetworkParts) {
    this.#parts = parts;
  }

  /**
   * By the policies of this moment: an owner who has closed the network since the submission has closed it. Says in the
   * stream what is withheld.
   */
  async grant(agent: Agent): Promise<TaskNetwork> {
    const { core, egress, taken } = this.#parts;
    const { rules, withheld } = grantEgress(core.policy.egress, { agent, asked: taken.input.egress ?? null });
    const granted = { egress: egress.open({ runId: taken.run.id, rules }), withheld };
    this.#granted = granted;
    if (withheld.length > 0) await this.#write(granted, nothing);
    return granted;
  }

  /** Ends what is under way, and records it where anything was reached or blocked. Never rejects. */
  async close(): Promise<void> {
    const { core, taken } = this.#parts;
    try {
      await this.#granted?.egress.close();
      const record = this.#granted?.egress.record() ?? nothing;
      if (this.#granted === null || record.allowed.length + record.blocked.length === 0) return;
      await this.#write(this.#granted, record);
    } catch (cause) {
      core.log.warn({ run_id: taken.run.id, err: cause }, "what a run reached could not be recorded");
    }
  }

  async #write({ withheld }: TaskNetwork, { allowed, blocked }: EgressRecord): Promise<void> {
    const { secrets, writer } = this.#parts;
    const value = { withheld: [...withheld], allowed: [...allowed], blocked: [...blocked] };
    await writer.emit({ type: "CUSTOM", name: EGRESS_EVENT, value: secrets.applyWithin(value) });
  }
}
