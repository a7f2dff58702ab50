// The backend that hands a run to another coding agent: a process that speaks the Agent Client Protocol.

import { type Clock, systemClock } from "../../../../base/clock.ts";
import type { Workspace } from "../../../core/ports/workspace.ts";
import type { Backend, BackendOutcome, BareTask, RepositoryTask } from "../../backend.ts";
import { failureOf } from "./agent-fault.ts";
import { type AgentProcess, makeHome, removeHome, startAgent } from "./agent-process.ts";
import { AgentTurn, isUrgent } from "./agent-turn.ts";
import { SecretMask } from "./secret-mask.ts";
import type { AcpSettings } from "./settings.ts";
import { rootsOf } from "./workspace-files.ts";

export type AcpTools = { readonly clock?: Clock };

/** One process a run, started in its workspace and ended with everything it started. */
export function acpBackend(settings: AcpSettings, { clock = systemClock }: AcpTools = {}): Backend {
  const shared = { settings, clock, mask: new SecretMask(settings.environment) };
  return {
    name: "acp",
    needsWorkspace: true,
    changesWorkspace: true,
    run: (task, workspace) => runAgent(shared, { task, workspace }),
  };
}

type Shared = { readonly settings: AcpSettings; readonly clock: Clock; readonly mask: SecretMask };
type Given = { readonly task: RepositoryTask | BareTask; readonly workspace: Workspace };

async function runAgent(
  { settings, clock, mask }: Shared,
  { task, workspace }: Given,
): Promise<BackendOutcome> {
  const { command, confine } = settings;
  task.signal.throwIfAborted();
  const roots = await rootsOf(workspace.root);
  const home = await makeHome();
  let agent: AgentProcess;
  try {
    const argv = confine === null ? command : confine({ argv: command, workspace: workspace.root, home });
    const { path, environment } = settings;
    agent = startAgent({ argv, cwd: workspace.root, home, path, environment, clock });
  } catch (cause) {
    await removeHome(home);
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw failureOf({ type: "not_started", code }, { command, mask, complaint: "" });
  }
  const turn = new AgentTurn({ settings, task, agent, roots, mask, clock });
  try {
    return await turn.take();
  } finally {
    await agent.end(isUrgent(task.signal) ? 0 : settings.stopGraceMs);
  }
}
