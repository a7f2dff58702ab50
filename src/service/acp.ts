// Wires the backend that starts another agent, in the sandbox. A bundle of its own, loaded only where one is configured.

import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { Rates } from "./core/money/rates.ts";
import type { SandboxKind } from "./core/ports/sandbox.ts";
import type { Backend } from "./executor/backend.ts";
import { acpBackend } from "./executor/backends/acp/acp.ts";
import type { AgentHomes } from "./executor/backends/acp/settings.ts";
import { makeHome, removeHome } from "./sandbox/agent-homes.ts";
import { confineAgent } from "./sandbox/confine-agent.ts";
import { RELAY_PORT } from "./sandbox/model-relay.ts";
import type { SandboxConfig } from "./sandbox/sandbox-config.ts";
import type { AcpConfig } from "./settings/acp-config.ts";

export type AcpParts = {
  readonly config: AcpConfig;
  readonly sandbox: SandboxConfig;
  /** The kind of sandbox that was found. */
  readonly kind: SandboxKind;
  readonly rates: Rates;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
};

/** Starts no agent before a run needs it. Rejects where agents cannot be confined and the operator has not allowed that. */
export async function openAcp({
  config,
  sandbox,
  kind,
  rates,
  log,
  clock,
  random,
}: AcpParts): Promise<Backend> {
  const homes: AgentHomes = { make: () => makeHome(sandbox.homesFolder), remove: removeHome };
  const settings = { ...config, homes, rates };
  tellOfSecrets(config, log);
  if (kind === "bubblewrap") {
    const confine = await confineAgent(sandbox, { clock });
    const hasOwnNetwork = config.model !== null && sandbox.network === "off";
    if (config.model === null && sandbox.network === "off") {
      log.warn(
        {},
        "MODEL_BASE_URL and MODEL_PROVIDER are not set: the agent reaches its model by itself, so it has this machine's " +
          "network although SANDBOX_NETWORK is off.",
      );
    }
    return acpBackend(
      { ...settings, confine, relayPort: hasOwnNetwork ? RELAY_PORT : null },
      { clock, random },
    );
  }
  if (sandbox.mode !== "off") {
    throw new Error(
      "BACKEND acp confines its agents with bubblewrap, and there is none that works here. Install it " +
        '("apt-get install bubblewrap"), or set SANDBOX=off to start agents as the service\'s own user.',
    );
  }
  return acpBackend({ ...settings, confine: null, relayPort: null }, { clock, random });
}

function tellOfSecrets({ secrets }: AcpConfig, log: Logger): void {
  if (secrets.length === 0) return;
  log.warn({}, "ACP_SECRETS is allowed: whatever the agent executes can read the secrets in ACP_ENV.");
}
