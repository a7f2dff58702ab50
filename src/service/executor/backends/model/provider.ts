// A model's API: its address, its key or token, and its wire.

import type { Effort, ModelProtocol } from "../../../../contract/models/protocols.ts";
import { modelProviders } from "../../../../contract/models/providers.ts";
import type { FederatedAccess } from "../../../../federation/provider.ts";
import { tokenExchanges } from "../../../../federation/providers.ts";
import { boundedAnswer } from "./bounded-answer.ts";
import type { ModelSettings } from "./model-settings.ts";
import { anthropic } from "./wires/anthropic.ts";
import { chat } from "./wires/chat.ts";
import { google } from "./wires/google.ts";
import { ModelQuirks } from "./wires/model-quirks.ts";
import { responses } from "./wires/responses.ts";
import type { Wire, WireModel } from "./wires/wire.ts";

/** The API as one run asks it. */
export type Provider = {
  /** Of the API, for messages. */
  readonly host: string;
  /** Quirks that its models showed in this run. */
  readonly quirks: ModelQuirks;
  model(id: string): WireModel;
};

/** Options that hold for a run. */
export type Asking = {
  /** Null: the model's own. */
  readonly effort: Effort | null;
  /** The same for all requests of the run. */
  readonly cacheKey: string;
};

export function openProvider(
  settings: Pick<ModelSettings, "provider" | "baseUrl" | "apiKey">,
  asking: Asking,
): Provider {
  const { provider: wire, baseUrl, apiKey } = settings;
  return providerAt({ wire, baseUrl, apiKey, fetch: fetchHere, ...asking });
}

/**
 * The API of a federated account, at the address of the table, whatever address is configured. `learn` is told of every
 * secret before it is sent.
 */
export function openFederatedProvider(
  access: FederatedAccess,
  learn: (secrets: readonly string[]) => void,
  asking: Asking,
): Provider {
  const { protocol: wire, apiBaseUrl: baseUrl } = modelProviders[access.provider];
  const { apiHeaders } = tokenExchanges[access.provider];
  const fetchAs: typeof fetch = async (input, init) => {
    const token = await access.token(init?.signal ?? undefined);
    learn(access.known());
    const headers = new Headers(init?.headers);
    headers.delete("x-api-key");
    headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(apiHeaders)) headers.append(name, value);
    return await fetchHere(input, { ...init, headers });
  };
  return providerAt({ wire, baseUrl, apiKey: null, fetch: fetchAs, ...asking });
}

type Api = Asking & {
  readonly wire: ModelProtocol;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly fetch: typeof fetch;
};

/** Throws a TypeError for an invalid base URL. */
function providerAt({ wire: name, fetch: fetchIt, ...api }: Api): Provider {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { host } = new URL(api.baseUrl);
  const quirks = new ModelQuirks();
  const opened = new Map<string, WireModel>();
  const open = (modelId: string): WireModel => {
    const wire = quirks.needsResponses(modelId) ? responses : wires[name];
    const finish = wire.finish({ ...api, modelId });
    const fetchChanged: typeof fetch = async (input, init) => {
      if (typeof init?.body !== "string") return await fetchIt(input, init);
      return await fetchIt(input, { ...init, body: quirks.bodyOf(modelId, init.body, finish) });
    };
    return wire.open({ ...api, modelId, fetch: fetchChanged });
  };
  return {
    host,
    quirks,
    model: (id) => {
      const key = `${quirks.needsResponses(id)} ${id}`;
      const model = opened.get(key) ?? open(id);
      opened.set(key, model);
      return model;
    },
  };
}

const wires: Readonly<Record<ModelProtocol, Wire>> = {
  anthropic,
  openai: responses,
  google,
  "openai-compatible": chat,
};

/** A redirect could carry the key to another host: none is followed. */
const fetchHere: typeof fetch = async (input, init) =>
  boundedAnswer(await fetch(input, { ...init, redirect: "error" }));
