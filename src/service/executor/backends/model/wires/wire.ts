// The port of a wire: one protocol of a model's API, by the AI SDK's provider for it. One file a wire.

import type { LanguageModel, streamText } from "ai";
import type { Effort } from "../../../../../contract/models/protocols.ts";
import type { Body } from "./body.ts";

type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]["providerOptions"]>;

type WireApi = {
  readonly modelId: string;
  /** With the version, without a trailing slash. */
  readonly baseUrl: string;
  /** Null: none is sent. */
  readonly apiKey: string | null;
  /** Null: the model's own. */
  readonly effort: Effort | null;
  /** The same for all requests of a run: the provider keeps their common beginning in one place. */
  readonly cacheKey: string;
  readonly fetch: typeof fetch;
};

/** A model as a request names it. */
export type WireModel = {
  readonly model: LanguageModel;
  readonly providerOptions: ProviderOptions;
  /** The effort, which the AI SDK translates for the provider. */
  readonly effort: Effort | null;
};

export type Wire = {
  open(api: WireApi): WireModel;
  /** The part of every body beside what the AI SDK writes. Null: nothing. */
  finish(api: Pick<WireApi, "modelId" | "baseUrl" | "effort">): ((body: Body) => Body) | null;
};
