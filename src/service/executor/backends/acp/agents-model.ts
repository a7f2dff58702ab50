// The model of one run's agent: a proxy that has the key, and the agent's command and variables pointed to it.

import { join } from "node:path";
import type { Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/ids.ts";
import { makeSecretToken } from "../../../../base/secret-token.ts";
import { apiOfModel, federationOf } from "../../../../contract/models/federations.ts";
import { BackendFailure, type BackendTask } from "../../backend.ts";
import { defaultRunTokens } from "../../run-budget.ts";
import type { ModelAccess } from "./model-proxy/model-access.ts";
import { agentsUrl, type ModelProxy, openModelProxy, SOCKET_NAME } from "./model-proxy/model-proxy.ts";
import { pointedTo, wireFacts } from "./model-proxy/model-wires.ts";
import type { AcpSettings } from "./settings.ts";

const TOKEN_PREFIX = "svc_model_";

export type AgentsModel = {
  readonly command: AcpSettings["command"];
  readonly environment: AcpSettings["environment"];
  /** Null where the agent shares this machine's network. */
  readonly socket: string | null;
  /** Null where the agent reaches its model by itself. */
  readonly proxy: ModelProxy | null;
  close(): Promise<void>;
};

type Wanted = {
  readonly settings: AcpSettings;
  readonly task: Pick<BackendTask, "brought" | "meter" | "maxTurnTokens" | "secrets" | "signal">;
  readonly random: Random;
  readonly clock: Clock;
};

export async function openAgentsModel({ settings, task, random, clock }: Wanted): Promise<AgentsModel> {
  const { command, environment, homes, relayPort } = settings;
  const access = accessOf(settings, task);
  const rates = task.brought === null ? settings.rates : null;
  if (access === null)
    return { command, environment, socket: null, proxy: null, close: () => Promise.resolve() };
  const { text: token } = makeSecretToken(
    `${wireFacts[access.wire].keyPrefix}${TOKEN_PREFIX}`,
    random.bytes(32),
  );
  task.secrets.add(token, ...(access.apiKey === null ? [] : [access.apiKey]));
  const folder = relayPort === null ? null : await homes.make();
  const removeFolder = async () => {
    if (folder !== null) await homes.remove(folder);
  };
  try {
    const { meter, maxTurnTokens, secrets: mask, signal } = task;
    const { maxCostMicroUsd } = meter.budget;
    const maxTokens =
      maxTurnTokens === 0 ? defaultRunTokens({ maxCostMicroUsd, isPriced: true }) : maxTurnTokens;
    const proxy = await openModelProxy({
      access,
      token,
      socketFolder: folder,
      meter,
      rates,
      maxTokens,
      mask,
      signal,
      clock,
    });
    const at = { url: agentsUrl(access, proxy.port ?? relayPort ?? 0), token };
    const [program, ...args] = command;
    const variables = { ...wireFacts[access.wire].variables, ...environment };
    return {
      command: [program, ...args.map((argument) => pointedTo(argument, at))],
      environment: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, pointedTo(value, at)]),
      ),
      socket: folder === null ? null : join(folder, SOCKET_NAME),
      proxy,
      close: () => proxy.close().finally(removeFolder),
    };
  } catch (cause) {
    await removeFolder();
    throw cause;
  }
}

/** A brought one is at its provider's own address, whatever address is configured. Null: the agent reaches its model by itself. */
function accessOf({ model }: AcpSettings, { brought }: Pick<BackendTask, "brought">): ModelAccess | null {
  if (brought === null) return model;
  const { wire, baseUrl, isRawPredict } = apiOfModel(brought.access, brought.model);
  const { title } = federationOf(brought.access.provider);
  if (model?.wire !== wire) {
    const text = `The agent of this service does not speak the protocol that ${title} has for the model "${brought.model}". Bring access to another provider, or none.`;
    throw new BackendFailure(text, { reason: "access_ended", isRetryable: false });
  }
  return { wire, baseUrl, isRawPredict, apiKey: null, brought };
}
