// The model's backend over a folder, with a scripted model on a real socket.

import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../../../../fakes/model-server/model-server.ts";
import type { Script } from "../../../../../fakes/model-server/script.ts";
import type { Clock } from "../../../../../src/base/clock.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import type { ModelProtocol } from "../../../../../src/contract/models/protocols.ts";
import type { Checkout } from "../../../../../src/service/core/checkouts/checkout.ts";
import type { ModelRate, Rates } from "../../../../../src/service/core/money/rates.ts";
import type { BackendOutcome, RepositoryTask } from "../../../../../src/service/executor/backend.ts";
import { modelBackend } from "../../../../../src/service/executor/backends/model/model-backend.ts";
import type { ModelSettings } from "../../../../../src/service/executor/backends/model/model-settings.ts";
import { readingToolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { defaultRates } from "../../../../../src/service/settings/default-rates.ts";
import { expectValidStream } from "../../../../support/service-streams.ts";
import { folderCheckout } from "../../tools/folder-checkout.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";

export const API_KEY = "sk-test-not-to-be-seen";
const everyProtocol: Readonly<Record<ModelProtocol, true>> = {
  "openai-compatible": true,
  openai: true,
  anthropic: true,
  google: true,
};
export const providers = Object.keys(everyProtocol) as readonly ModelProtocol[];

/** Where the scripted model speaks the provider's protocol. */
export function baseUrlOf(provider: ModelProtocol, server: ModelServer): string {
  return provider === "google" ? `${server.url}/v1beta` : server.baseUrl;
}

/** Whatever waits for less than two minutes, or what is told, is woken at once; what waits longer waits for ever. */
export class HastyClock implements Clock {
  readonly slept: number[] = [];
  readonly #wakesBelowMs: number;
  #nowMs = Date.parse("2026-01-15T10:00:00.000Z");

  constructor(wakesBelowMs = 120_000) {
    this.#wakesBelowMs = wakesBelowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms >= this.#wakesBelowMs) {
      await new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    }
    this.slept.push(ms);
    this.#nowMs += ms;
  }
}

export function ratesOf(...models: readonly Omit<ModelRate, "isFreeTierEligible">[]): Rates {
  const [first = defaultRates.models[0], ...others] = models.map((model) => ({
    ...model,
    isFreeTierEligible: false,
  }));
  return { ...defaultRates, models: [first, ...others] };
}

export type ModelFixtureOptions = {
  readonly script: Script;
  readonly provider?: ModelProtocol;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** What git would have answered. */
  readonly checkout?: Partial<Checkout>;
  readonly settings?: Partial<ModelSettings>;
} & Pick<ModelServerOptions, "refuse" | "callId" | "expectsBadHistories">;

export class ModelFixture {
  readonly server: ModelServer;
  readonly checkout: Checkout;
  readonly clock = new HastyClock();
  readonly #options: ModelFixtureOptions;

  static async start(options: ModelFixtureOptions): Promise<ModelFixture> {
    const server = await startModelServer({ ...options, apiKey: API_KEY });
    const checkout = { ...(await folderCheckout(options.files ?? {})), ...options.checkout };
    return new ModelFixture({ server, checkout, options });
  }

  private constructor(parts: { server: ModelServer; checkout: Checkout; options: ModelFixtureOptions }) {
    this.server = parts.server;
    this.checkout = parts.checkout;
    this.#options = parts.options;
  }

  settings(changes: Partial<ModelSettings> = {}): ModelSettings {
    return {
      provider: this.#options.provider ?? "openai-compatible",
      baseUrl: baseUrlOf(this.#options.provider ?? "openai-compatible", this.server),
      apiKey: API_KEY,
      access: null,
      models: { executor: "scripted-model", advisor: null, reviewer: null },
      rates: defaultRates,
      toolbox: readingToolbox,
      clock: this.clock,
      random: systemRandom,
      ...this.#options.settings,
      ...changes,
    };
  }

  /** Runs one task to its end. What it emitted is in `recorder`. */
  async run(
    changes: Partial<RepositoryTask> = {},
    recorder = new TaskRecorder(),
    settings: Partial<ModelSettings> = {},
  ): Promise<BackendOutcome> {
    const backend = modelBackend(this.settings(settings));
    if (!backend.needsCheckout) throw new Error("The model needs a checkout.");
    const task = recorder.task({ messages: [{ role: "user", content: "Hello" }], ...changes });
    return await backend.run(task, this.checkout);
  }

  async close(): Promise<void> {
    await Promise.all([this.server.close(), this.checkout.close()]);
  }
}

/** What the recorder holds is a stream that AG-UI takes, once the executor has framed it, and it names no key. */
export async function expectWhole(recorder: TaskRecorder): Promise<void> {
  const ids = { threadId: "thread", runId: "run-1" };
  const events = [
    { type: "RUN_STARTED" as const, ...ids },
    ...recorder.events,
    { type: "RUN_FINISHED" as const, ...ids, outcome: { type: "success" as const } },
  ];
  await expectValidStream(
    events.map((event, at) => ({ seq: at + 1, at: "2026-01-15T10:00:00.000Z", event })),
  );
  const faults = recorder.faults();
  if (faults.length > 0) throw new Error(faults.join("; "));
  if (JSON.stringify(events).includes(API_KEY)) throw new Error("The key is in the stream.");
}
