// A model's API: its address, its key or token, and its wire.

import { apiOfModel, federationOf } from "../../../../contract/models/federations.ts";
import type { Effort, ModelProtocol } from "../../../../contract/models/protocols.ts";
import type { FederatedAccess } from "../../../../federation/provider.ts";
import { tokenExchanges } from "../../../../federation/providers.ts";
import { rawPredict } from "../../../../federation/raw-predict.ts";
import { boundedAnswer } from "./bounded-answer.ts";
import type { ModelSettings } from "./model-settings.ts";
import { ModelQuirks } from "./wires/model-quirks.ts";
import type { Wire, WireModel } from "./wires/wire.ts";

/** The API as one run asks it. */
export type ModelProvider = {
  /** Of the API that has this model, for messages. */
  hostOf(id: string): string;
  /** Quirks that its models showed in this run. */
  readonly quirks: ModelQuirks;
  /** Loads its wire where it is the first model of that wire. */
  model(id: string): Promise<WireModel>;
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
): ModelProvider {
  const { provider: wire, baseUrl, apiKey } = settings;
  new URL(baseUrl);
  return providerOf({
    placeOf: () => ({ wire, baseUrl, isRawPredict: false }),
    apiKey,
    fetch: fetchHere,
    ...asking,
  });
}

/**
 * The API of a federated account, at the address of the table, whatever address is configured: of a cloud the one that has the model.
 * `learn` is told of every secret before it is sent.
 */
export function openFederatedProvider(
  access: FederatedAccess,
  learn: (secrets: readonly string[]) => void,
  asking: Asking,
): ModelProvider {
  const { apiHeaders } = tokenExchanges[access.provider];
  const hosts = federationOf(access.provider).hosts(access.identifiers);
  const placeOf = (id: string) => {
    const { protocol: wire, baseUrl, isRawPredict = false } = apiOfModel(access, id);
    return { wire, baseUrl, isRawPredict };
  };
  const fetchAs: typeof fetch = async (input, init) => {
    const { host } = new URL(input instanceof Request ? input.url : input);
    if (!hosts.includes(host)) throw new TypeError(`The token is not for ${host}.`);
    const token = await access.token(init?.signal ?? undefined);
    learn(access.known());
    const headers = new Headers(init?.headers);
    for (const name of keyHeaders) headers.delete(name);
    headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(apiHeaders)) headers.append(name, value);
    return await fetchHere(input, { ...init, headers });
  };
  return providerOf({ placeOf, apiKey: null, fetch: fetchAs, ...asking });
}

/** The place of a model. */
type Place = { readonly wire: ModelProtocol; readonly baseUrl: string; readonly isRawPredict: boolean };

type Api = Asking & {
  readonly placeOf: (id: string) => Place;
  readonly apiKey: string | null;
  readonly fetch: typeof fetch;
};

function providerOf({ placeOf, fetch: fetchIt, ...api }: Api): ModelProvider {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const quirks = new ModelQuirks();
  const opened = new Map<string, WireModel>();
  const open = async (modelId: string): Promise<WireModel> => {
    const { wire: name, baseUrl, isRawPredict } = placeOf(modelId);
    const wire = await wires[quirks.needsResponses(modelId) ? "openai" : name]();
    const finish = wire.finish({ ...api, baseUrl, modelId });
    const fetchChanged: typeof fetch = async (input, init) => {
      if (typeof init?.body !== "string") return await fetchIt(input, init);
      const body = quirks.bodyOf(modelId, init.body, finish);
      if (!isRawPredict) return await fetchIt(input, { ...init, body });
      const asked = rawPredict({ url: String(input), body });
      return await fetchIt(asked.url, { ...init, body: asked.body });
    };
    return wire.open({ ...api, baseUrl, modelId, fetch: fetchChanged });
  };
  return {
    hostOf: (id) => new URL(placeOf(id).baseUrl).host,
    quirks,
    model: async (id) => {
      const key = `${quirks.needsResponses(id)} ${id}`;
      const model = opened.get(key) ?? (await open(id));
      opened.set(key, model);
      return model;
    },
  };
}

/** What the AI SDK puts there is no key of ours. */
const keyHeaders = ["x-api-key", "x-goog-api-key"];

/** Each with a library of its own, of which a run needs one. */
const wires: Readonly<Record<ModelProtocol, () => Promise<Wire>>> = {
  anthropic: async () => (await import("./wires/anthropic.ts")).anthropic,
  openai: async () => (await import("./wires/responses.ts")).responses,
  google: async () => (await import("./wires/google.ts")).google,
  "openai-compatible": async () => (await import("./wires/chat.ts")).chat,
};

/** A redirect could carry the key to another host: none is followed. */
const fetchHere: typeof fetch = async (input, init) =>
  boundedAnswer(await fetch(input, { ...init, redirect: "error" }));
