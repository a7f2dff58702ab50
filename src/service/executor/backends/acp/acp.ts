// The backend that executes a run by another coding agent: a process that speaks the Agent Client Protocol.

import { type Clock, systemClock } from "../../../../base/clock.ts";
import { type Random, systemRandom } from "../../../../base/ids.ts";
import type { Checkout, HiddenFile } from "../../../core/checkouts/checkout.ts";
import { networkText } from "../../../core/egress/network-text.ts";
import type { Backend, BackendOutcome, BareTask, RepositoryTask } from "../../backend.ts";
import { failureOf } from "./agent-fault.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { AgentTurn, isUrgent } from "./agent-turn.ts";
import { type AgentsModel, openAgentsModel } from "./agents-model.ts";
import { rootsOf } from "./checkout-files.ts";
import type { AcpSettings } from "./settings.ts";

const ENDING_MS = 10_000;

type AcpTools = { readonly clock?: Clock; readonly random?: Random };

/** One process a run, started in its checkout and ended with all its child processes. */
export function acpBackend(settings: AcpSettings, tools: AcpTools = {}): Backend {
  const { clock = systemClock, random = systemRandom } = tools;
  return {
    name: "acp",
    needsCheckout: true,
    changesCheckout: true,
    takesBroughtModel: true,
    // Cancel request, SIGTERM, SIGKILL; then orphan processes are ended and its home is removed.
    stopsWithinMs: 2 * settings.stopGraceMs + ENDING_MS,
    run: async (task, checkout) => {
      task.signal.throwIfAborted();
      task.secrets.add(...settings.secrets);
      const hidden = await checkout.hideAgentFiles();
      const model = await openAgentsModel({ settings, task, random, clock });
      try {
        return await runAgent({ settings, clock, task, checkout, model, hidden });
      } finally {
        await model.close();
      }
    },
  };
}

type Given = {
  readonly settings: AcpSettings;
  readonly clock: Clock;
  readonly task: RepositoryTask | BareTask;
  readonly checkout: Checkout;
  readonly model: AgentsModel;
  readonly hidden: readonly HiddenFile[];
};

async function runAgent(given: Given): Promise<BackendOutcome> {
  const { settings, clock, task, checkout, model, hidden } = given;
  const roots = await rootsOf(checkout.root);
  // With this machine's network it needs no proxy.
  const egressSocket = model.socket === null ? null : await task.network.egress.socket("agent");
  const { egress, withheld } = task.network;
  const network = model.socket === null ? "" : networkText(egress.rules, { withheld });
  let agent: AgentProcess;
  try {
    const { root, gitFolder = null, covered } = checkout;
    const place = { checkout: root, gitFolder, covered };
    agent = await startAgent({ settings, model, hidden, ...place, egressSocket, clock });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const { title } = settings;
    throw failureOf(
      { type: "not_started", code },
      { title, mask: task.secrets, complaint: "", hasAnswered: false },
    );
  }
  const { covered } = checkout;
  const files = { roots, covered, hidden };
  const turn = new AgentTurn({ settings, task, agent, ...files, network, proxy: model.proxy, clock });
  try {
    return await turn.take();
  } finally {
    await agent.end(isUrgent(task.signal) ? 0 : settings.stopGraceMs);
  }
}
