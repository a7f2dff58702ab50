// The backend that executes a run by another coding agent: a process that speaks the Agent Client Protocol.

import { type Clock, systemClock } from "../../../../base/clock.ts";
import type { Checkout } from "../../../core/ports/checkout.ts";
import type { Backend, BackendOutcome, BareTask, RepositoryTask } from "../../backend.ts";
import { failureOf } from "./agent-fault.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { AgentTurn, isUrgent } from "./agent-turn.ts";
import { rootsOf } from "./checkout-files.ts";
import { SecretMask } from "./secret-mask.ts";
import type { AcpSettings } from "./settings.ts";

const ENDING_MS = 10_000;

export type AcpTools = { readonly clock?: Clock };

/** One process a run, started in its checkout and ended with all its child processes. */
export function acpBackend(settings: AcpSettings, { clock = systemClock }: AcpTools = {}): Backend {
  const shared = { settings, clock, mask: new SecretMask(settings.environment) };
  return {
    name: "acp",
    needsCheckout: true,
    changesCheckout: true,
    // Cancel request, SIGTERM, SIGKILL; then orphan processes are ended and its home is removed.
    stopsWithinMs: 2 * settings.stopGraceMs + ENDING_MS,
    run: (task, checkout) => runAgent(shared, { task, checkout }),
  };
}

type Shared = { readonly settings: AcpSettings; readonly clock: Clock; readonly mask: SecretMask };
type Given = { readonly task: RepositoryTask | BareTask; readonly checkout: Checkout };

async function runAgent(
  { settings, clock, mask }: Shared,
  { task, checkout }: Given,
): Promise<BackendOutcome> {
  task.signal.throwIfAborted();
  const roots = await rootsOf(checkout.root);
  let agent: AgentProcess;
  try {
    agent = await startAgent({ settings, checkout: checkout.root, clock });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw failureOf(
      { type: "not_started", code },
      { command: settings.command, mask, complaint: "", hasAnswered: false },
    );
  }
  const turn = new AgentTurn({ settings, task, agent, roots, mask, clock });
  try {
    return await turn.take();
  } finally {
    await agent.end(isUrgent(task.signal) ? 0 : settings.stopGraceMs);
  }
}
