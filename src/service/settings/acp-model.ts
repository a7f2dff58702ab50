// The address of a coding agent's model, by the settings of the model. Pure.

import { isConfidential } from "../../base/confidential-url.ts";
import type { Environment } from "../../base/environment.ts";
import { readSettings, variablesOf } from "../../base/settings/setting.ts";
import { type CodingAgentName, codingAgents } from "../../contract/ci/coding-agents.ts";
import { isCloud } from "../../contract/models/clouds.ts";
import { apiOfModel } from "../../contract/models/federations.ts";
import type { CodingAgentWire } from "../../contract/models/protocols.ts";
import type { ModelAccess } from "../executor/backends/acp/model-proxy/model-access.ts";
import { missingKey, modelSettings } from "./model-config.ts";
import { type ModelIdentity, missingIdentity } from "./model-identity.ts";
import { apiOf, type ProviderWord, providerNamed, providerOf } from "./model-providers.ts";

const { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY } = modelSettings;

type AccessReading = {
  /** Null: the operator's own command. */
  readonly agent: CodingAgentName | null;
  /** The API of an agent that asks GitHub's models. */
  readonly copilotUrl: string;
  /** By whose trust the service gets a token in place of a key. */
  readonly identity: ModelIdentity | null;
  /** False where the model is not asked with the key of these settings. */
  readonly needsKey: boolean;
  /** Gets a line for each setting that is wrong or missing. */
  readonly faults: string[];
};

/** Null where no setting names a model: an agent without a name then reaches it by itself. */
export function readAgentsAccess(environment: Environment, reading: AccessReading): ModelAccess | null {
  const { agent, identity, faults } = reading;
  const access =
    identity === null ? readAccess(environment, reading) : accessOf(identity, environment.MODEL ?? "");
  if (access === null || agent === null) return access;
  const { title, wires } = codingAgents[agent];
  if (wires.includes(access.wire)) return access;
  faults.push(
    `ACP_AGENT ${agent} needs a model of another protocol: ${title} speaks ${wires.join(", ")}, not ${access.wire}.`,
  );
  return null;
}

/** At the provider's own address. The token comes later. */
function accessOf({ place }: ModelIdentity, model: string): ModelAccess {
  const { wire, baseUrl } = apiOfModel(place, model);
  return { wire, baseUrl, apiKey: null };
}

function readAccess(
  environment: Environment,
  { agent, copilotUrl, needsKey, faults }: Omit<AccessReading, "identity">,
): ModelAccess | null {
  const declared = { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY };
  const { values, problems } = readSettings(declared, variablesOf(environment));
  faults.push(...problems);
  const { MODEL_PROVIDER: word, MODEL_BASE_URL: url, MODEL_API_KEY: apiKey } = values;
  if (agent === null && word === null && url === null && apiKey === null) return null;
  if (word !== null && isCloud(word)) {
    faults.push(missingIdentity(word));
    return null;
  }
  const provider = word === null ? null : providerNamed(word);
  const baseUrl = url ?? ownBaseUrl({ agent, copilotUrl }, provider);
  const wire =
    wireOf(provider) ?? onlyWireOf(agent) ?? (url === null ? ownWireOf(agent) : wireOf(providerOf(url)));
  if (wire === null || baseUrl === null) {
    if (problems.length === 0) faults.push(missingAddress(provider));
    return null;
  }
  // An operator's own command may have a key of its own.
  if (agent !== null && apiKey === null && needsKey)
    faults.push(...(wire === "copilot" ? [missingGitHubToken(agent)] : missingKey(baseUrl)));
  if (apiKey !== null && !isConfidential(baseUrl))
    faults.push("MODEL_BASE_URL must begin with https:// where MODEL_API_KEY is set, or lead to loopback.");
  return { wire, baseUrl, apiKey };
}

/** Null where the agent speaks several, or is none that has a name here. */
function onlyWireOf(agent: CodingAgentName | null): CodingAgentWire | null {
  if (agent === null) return null;
  const [wire, ...others] = codingAgents[agent].wires;
  return others.length === 0 ? wire : null;
}

/** Of the API where it asks its model unless it is told another one. */
function ownWireOf(agent: CodingAgentName | null): CodingAgentWire | null {
  return agent === null || codingAgents[agent].ownBaseUrl === null ? null : codingAgents[agent].wires[0];
}

function wireOf(provider: ProviderWord | null): CodingAgentWire | null {
  return provider === null ? null : apiOf(provider).wire;
}

function ownBaseUrl(
  { agent, copilotUrl }: Pick<AccessReading, "agent" | "copilotUrl">,
  provider: ProviderWord | null,
): string | null {
  const own = provider === null ? null : apiOf(provider).apiBaseUrl;
  if (own !== null || agent === null) return own;
  // Of a protocol alone, somebody has the address, and it is not GitHub.
  if (codingAgents[agent].takesGitHubToken) return provider === null ? copilotUrl : null;
  return codingAgents[agent].ownBaseUrl;
}

function missingGitHubToken(agent: CodingAgentName): string {
  const { title } = codingAgents[agent];
  return `MODEL_API_KEY must be set for ACP_AGENT ${agent}: a token of GitHub that may ask ${title}'s models. Or set MODEL_PROVIDER to another provider.`;
}

function missingAddress(provider: ProviderWord | null): string {
  return provider === null
    ? "MODEL_PROVIDER or MODEL_BASE_URL must be set: they say where the agent's model is."
    : `MODEL_BASE_URL must be set for MODEL_PROVIDER ${provider}: the address of its API, such as https://api.openai.com/v1.`;
}
