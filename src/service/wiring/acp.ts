// Wires the backend that starts another agent, in the sandbox. A bundle of its own, loaded only where one is configured.

import type { Logger } from "../../base/log.ts";
import { type CodingAgentName, codingAgents } from "../../contract/ci/coding-agents.ts";
import { apiOfModel } from "../../contract/models/federations.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import type { Rates } from "../core/money/rates.ts";
import type { Backend } from "../executor/backend.ts";
import { acpBackend } from "../executor/backends/acp/acp.ts";
import type { AgentHomes } from "../executor/backends/acp/settings.ts";
import { makeHome, removeHome } from "../sandbox/agent-homes.ts";
import { AgentMissingError, missingText } from "../sandbox/agent-missing.ts";
import { type AgentProgram, findAgentProgram } from "../sandbox/agent-program.ts";
import { confineAgent } from "../sandbox/confine-agent.ts";
import { GATEWAY_PORT, INNER_NODE, MODEL_PORT } from "../sandbox/relay.ts";
import type { SandboxConfig } from "../sandbox/sandbox-config.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { AcpConfig } from "../settings/acp-config.ts";
import { openOperatorAccess } from "./operator-access.ts";
import { openServersOf, type ServerParts } from "./run-servers.ts";

type AcpParts = ServerParts & {
  readonly config: AcpConfig;
  /** By whose account the model is reached. Null: by the configuration. */
  readonly access: FederatedAccess | null;
  readonly sandboxConfig: SandboxConfig;
  readonly rates: Rates;
  readonly log: Logger;
};

/** Starts no agent before a run needs it. Rejects where agents cannot be confined and the operator has not allowed that. */
export async function openAcp(parts: AcpParts): Promise<Backend> {
  const { config, access, sandboxConfig: sandbox, rates, log, clock, random } = parts;
  const { kind, agents: places = null } = parts.sandbox;
  const homes: AgentHomes = { make: (earlier) => makeHome(sandbox.homesFolder, earlier), remove: removeHome };
  const { identity, agent } = config;
  const federated =
    access ?? (identity === null ? null : openOperatorAccess({ identity, clock, random, log }));
  const model =
    config.model === null || federated === null
      ? config.model
      : { ...config.model, ...apiOfModel(federated, config.chosenModel ?? ""), federated };
  const program = agent === null || places !== null ? null : await programOf(agent, { config, sandbox });
  const command: AcpConfig["command"] =
    program === null ? config.command : [program.path, ...config.command.slice(1)];
  const openServers = openServersOf(parts);
  const settings = { ...config, command, model, homes, rates, openServers, places: null };
  tellOfSecrets(config, log);
  if (kind === "bubblewrap") {
    const readPaths = [...sandbox.readPaths, ...(program === null ? [] : [program.folder])];
    const confine = await confineAgent({ ...sandbox, readPaths }, { clock });
    const hasOwnNetwork = config.model !== null && sandbox.network === "off";
    if (config.model === null && sandbox.network === "off") {
      log.warn(
        {},
        "MODEL_BASE_URL and MODEL_PROVIDER are not set: the agent reaches its model by itself, so it has this machine's " +
          "network although SANDBOX_NETWORK is off.",
      );
    }
    const gateway = { port: hasOwnNetwork ? GATEWAY_PORT : null, node: INNER_NODE };
    return acpBackend(
      { ...settings, confine, relayPort: hasOwnNetwork ? MODEL_PORT : null, gateway },
      { clock, random },
    );
  }
  if (places !== null) {
    if (config.model === null)
      log.warn(
        {},
        "MODEL_BASE_URL and MODEL_PROVIDER are not set: the agent reaches its model by itself, through the network that its pod has.",
      );
    // Its paths are none of this machine's.
    const elsewhere = { ...settings, asksForFiles: false, confine: null, places };
    const gateway = { port: GATEWAY_PORT, node: "node" };
    return acpBackend({ ...elsewhere, relayPort: MODEL_PORT, gateway }, { clock, random });
  }
  if (sandbox.mode !== "off") {
    throw new SandboxError(
      "sandbox_not_started",
      "A coding agent is confined with bubblewrap, and there is none that works here. Install it " +
        "(\"apt-get install bubblewrap\"), or set SANDBOX=off to start agents as the service's own user, who can read the model's key.",
    );
  }
  const gateway = { port: null, node: process.execPath };
  return acpBackend({ ...settings, confine: null, relayPort: null, gateway }, { clock, random });
}

/** Throws an OperatorError where it is not installed. */
async function programOf(
  agent: CodingAgentName,
  { config, sandbox }: { readonly config: AcpConfig; readonly sandbox: SandboxConfig },
): Promise<AgentProgram> {
  const outside = sandbox.job?.checkout ?? null;
  const { program } = codingAgents[agent];
  const found = await findAgentProgram(config.path, { program, outside });
  if (found === null) throw new AgentMissingError(missingText(agent));
  return found;
}

function tellOfSecrets({ secrets }: AcpConfig, log: Logger): void {
  if (secrets.length === 0) return;
  log.warn({}, "ACP_SECRETS is allowed: whatever the agent executes can read the secrets in ACP_ENV.");
}
