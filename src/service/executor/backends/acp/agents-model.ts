// The model of one run's agent: a proxy that has the key, and the agent's command and variables pointed to it.

import { join } from "node:path";
import type { Random } from "../../../../base/ids.ts";
import { makeSecretToken } from "../../../../base/secret-token.ts";
import type { BackendTask } from "../../backend.ts";
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
  readonly task: Pick<BackendTask, "meter" | "maxTurnTokens" | "secrets" | "signal">;
  readonly random: Random;
};

export async function openAgentsModel({ settings, task, random }: Wanted): Promise<AgentsModel> {
  const { model: access, command, environment, homes, rates, relayPort } = settings;
  if (access === null)
    return { command, environment, socket: null, proxy: null, close: () => Promise.resolve() };
  const { text: token } = makeSecretToken(TOKEN_PREFIX, random.bytes(32));
  task.secrets.add(token, ...(access.apiKey === null ? [] : [access.apiKey]));
  const folder = relayPort === null ? null : await homes.make();
  const removeFolder = async () => {
    if (folder !== null) await homes.remove(folder);
  };
  try {
    const { meter, maxTurnTokens: maxTokens, secrets: mask, signal } = task;
    const proxy = await openModelProxy({
      access,
      token,
      socketFolder: folder,
      meter,
      rates,
      maxTokens,
      mask,
      signal,
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
