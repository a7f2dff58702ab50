// Wires the backend that starts another agent, in the sandbox. A bundle of its own, loaded only where one is configured.

import type { Clock } from "../base/clock.ts";
import type { SandboxKind } from "./core/ports/sandbox.ts";
import type { Backend } from "./executor/backend.ts";
import { acpBackend } from "./executor/backends/acp/acp.ts";
import type { AgentHomes } from "./executor/backends/acp/settings.ts";
import { makeHome, removeHome } from "./sandbox/agent-homes.ts";
import { confineAgent } from "./sandbox/confine-agent.ts";
import type { SandboxConfig } from "./sandbox/sandbox-config.ts";
import type { AcpConfig } from "./settings/acp-config.ts";

export type AcpParts = {
  readonly config: AcpConfig;
  readonly sandbox: SandboxConfig;
  /** The kind of sandbox that was found. */
  readonly kind: SandboxKind;
  readonly clock: Clock;
};

/** Starts no agent before a run needs it. Rejects where agents cannot be confined and the operator has not allowed that. */
export async function openAcp({ config, sandbox, kind, clock }: AcpParts): Promise<Backend> {
  const homes: AgentHomes = { make: () => makeHome(sandbox.homesFolder), remove: removeHome };
  if (kind === "bubblewrap") {
    const confine = await confineAgent(sandbox, { clock });
    return acpBackend({ ...config, homes, confine }, { clock });
  }
  if (sandbox.mode !== "off") {
    throw new Error(
      "BACKEND acp confines its agents with bubblewrap, and there is none that works here. Install it " +
        '("apt-get install bubblewrap"), or set SANDBOX=off to start agents as the service\'s own user.',
    );
  }
  return acpBackend({ ...config, homes, confine: null }, { clock });
}
