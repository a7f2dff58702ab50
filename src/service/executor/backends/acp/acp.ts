// The backend that hands a run to another coding agent: a process that speaks the Agent Client Protocol.

import { type Clock, systemClock } from "../../../../base/clock.ts";
import type { Workspace } from "../../../core/ports/workspace.ts";
import type { Backend, BackendOutcome, BareTask, RepositoryTask } from "../../backend.ts";
import { failureOf } from "./agent-fault.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { AgentTurn, isUrgent } from "./agent-turn.ts";
import { SecretMask } from "./secret-mask.ts";
import type { AcpSettings } from "./settings.ts";
import { rootsOf } from "./workspace-files.ts";

const ENDING_MS = 10_000;

export type AcpTools = { readonly clock?: Clock };

/** One process a run, started in its workspace and ended with everything it started. */
export function acpBackend(settings: AcpSettings, { clock = systemClock }: AcpTools = {}): Backend {
  const shared = { settings, clock, mask: new SecretMask(settings.environment) };
  return {
    name: "acp",
    needsWorkspace: true,
    changesWorkspace: true,
    // Asked to cancel, asked to end, ended; then what it left is looked for, and its home removed.
    stopsWithinMs: 2 * settings.stopGraceMs + ENDING_MS,
    run: (task, workspace) => runAgent(shared, { task, workspace }),
  };
}

type Shared = { readonly settings: AcpSettings; readonly clock: Clock; readonly mask: SecretMask };
type Given = { readonly task: RepositoryTask | BareTask; readonly workspace: Workspace };

async function runAgent(
  { settings, clock, mask }: Shared,
  { task, workspace }: Given,
): Promise<BackendOutcome> {
  task.signal.throwIfAborted();
  const roots = await rootsOf(workspace.root);
  let agent: AgentProcess;
  try {
    agent = await startAgent({ settings, workspace: workspace.root, clock });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw failureOf({ type: "not_started", code }, { command: settings.command, mask, complaint: "" });
  }
  const turn = new AgentTurn({ settings, task, agent, roots, mask, clock });
  try {
    return await turn.take();
  } finally {
    await agent.end(isUrgent(task.signal) ? 0 : settings.stopGraceMs);
  }
}
