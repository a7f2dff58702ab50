// The core with its executor on a real store, without sockets: for what can only be shown from inside, such as a
// store that fails at a chosen moment. Tokens are not verified here: a job is whoever the test says.

import { makeJob } from "../../fakes/records.ts";
import { systemRandom } from "../../src/base/ids.ts";
import type { LogFields, Logger } from "../../src/base/log.ts";
import { ok } from "../../src/base/result.ts";
import { isTerminal, type SubmitRunRequest } from "../../src/contract/runs/run.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { TokenBuckets } from "../../src/service/api/shared/token-buckets.ts";
import type { CiJobCaller } from "../../src/service/core/accounts/caller.ts";
import { exchangeToken } from "../../src/service/core/ci/exchange-token.ts";
import type { Core } from "../../src/service/core/core.ts";
import type { Rates } from "../../src/service/core/money/rates.ts";
import type { CheckoutProvider } from "../../src/service/core/ports/checkout.ts";
import { noMeter } from "../../src/service/core/ports/meter.ts";
import type { Store } from "../../src/service/core/ports/store.ts";
import { noTracer } from "../../src/service/core/ports/tracer.ts";
import type { RunRecord } from "../../src/service/core/runs/run-record.ts";
import { RunSignals } from "../../src/service/core/runs/run-signals.ts";
import { RunSubmitter } from "../../src/service/core/runs/submit-run.ts";
import { ScheduleAlarm } from "../../src/service/core/schedules/schedule-alarm.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { Executor } from "../../src/service/executor/executor.ts";
import { InProcessDispatch } from "../../src/service/executor/in-process-dispatch.ts";
import { defaultRates } from "../../src/service/settings/default-rates.ts";
import { ManualClock } from "./clock-manual.ts";
import { type StoreKind, type StorePlace, storeKinds } from "./stores.ts";

export type CoreBedOptions = {
  /** SQLite unless told. */
  readonly kind?: StoreKind;
  readonly backend?: Backend;
  readonly checkouts?: CheckoutProvider;
  readonly slots?: number;
  readonly runTimeLimitMs?: number;
  /** Per owner and month; plenty unless told. */
  readonly freeCredits?: number;
  /** Plenty unless told. */
  readonly ratePerMinute?: number;
  readonly addressRatePerMinute?: number;
  /** The default ones unless told. */
  readonly rates?: Rates;
  /** Stands between the core and its store. */
  readonly wrapStore?: (store: Store) => Store;
};

const noCheckouts: CheckoutProvider = {
  open: async () => {
    throw new Error("This fixture has no checkouts.");
  },
  openEmpty: async () => {
    throw new Error("This fixture has no checkouts.");
  },
  sweep: async () => {},
};

export class CoreFixture {
  readonly core: Core;
  readonly clock: ManualClock;
  readonly dispatch: InProcessDispatch;
  readonly executor: Executor;
  readonly submitter: RunSubmitter;
  readonly place: StorePlace;
  /** The store itself, past what wraps it. */
  readonly store: Store;
  readonly logs: string[];
  #caller: CiJobCaller | null = null;

  static async start(options: CoreBedOptions = {}): Promise<CoreFixture> {
    const kind = options.kind ?? storeKinds[0];
    if (kind === undefined) throw new Error("There is no store.");
    const place = await kind.make();
    return new CoreFixture(place, await place.open(), options);
  }

  private constructor(place: StorePlace, store: Store, options: CoreBedOptions) {
    const { backend, checkouts = noCheckouts, slots = 2, wrapStore } = options;
    this.place = place;
    this.store = store;
    this.clock = new ManualClock();
    this.dispatch = new InProcessDispatch();
    this.logs = [];
    this.core = {
      store: wrapStore?.(store) ?? store,
      verifier: {
        verify: async (token) => {
          const usableUntil = this.clock.now() + 300_000;
          return ok({ job: makeJob(), replayKey: token, usableUntil });
        },
      },
      dispatch: this.dispatch,
      signals: new RunSignals(),
      scheduleAlarm: new ScheduleAlarm(),
      limits: new TokenBuckets(),
      clock: this.clock,
      random: systemRandom,
      log: memoryLogger(this.logs),
      policy: {
        baseUrl: "http://service.example",
        webUrl: "http://service.example",
        audience: "service.example",
        freeCredits: options.freeCredits ?? 10_000,
        ratePerMinute: options.ratePerMinute ?? 1_000_000,
        addressRatePerMinute: options.addressRatePerMinute ?? 1_000_000,
        capabilityMs: 900_000,
        backend: backend?.name ?? "none",
        freeFor: "public_repositories",
        maxQueuedRuns: 1_000,
      },
      rates: options.rates ?? defaultRates,
      meter: noMeter,
      tracer: noTracer,
    };
    this.submitter = new RunSubmitter(this.core);
    this.executor = new Executor({
      core: this.core,
      dispatch: this.dispatch,
      checkouts,
      backends: backend === undefined ? [] : [backend],
      slots,
      runTimeLimitMs: options.runTimeLimitMs ?? 3_600_000,
    });
  }

  async caller(): Promise<CiJobCaller> {
    if (this.#caller !== null) return this.#caller;
    const exchanged = await exchangeToken(this.core, { subjectToken: "token", requestId: "request" });
    if (!exchanged.ok) throw new Error(`The exchange was refused: ${exchanged.refusal.reason}`);
    this.#caller = { kind: "ci_job", capability: exchanged.value.capability };
    return this.#caller;
  }

  async trySubmit(body: SubmitRunRequest) {
    const caller = await this.caller();
    const { agentId } = caller.capability;
    return await this.submitter.submit({ caller, agentId, body, idempotencyKey: null });
  }

  /** Submits a run. Returns its id. */
  async submit(): Promise<string> {
    const submitted = await this.trySubmit({ message: "go" });
    if (!submitted.ok) throw new Error(`The run was refused: ${submitted.refusal.reason}`);
    return submitted.value.runId;
  }

  async run(runId: string): Promise<RunRecord> {
    const run = await this.store.committed.runs.find(runId);
    if (run === null) throw new Error(`There is no run ${runId}.`);
    return run;
  }

  /** Resolves once the run is as the test wants it. Looks whenever the run moves. */
  async until(runId: string, isSo: (run: RunRecord) => boolean): Promise<RunRecord> {
    for (;;) {
      const listener = this.core.signals.listen(runId);
      try {
        const run = await this.run(runId);
        if (isSo(run)) return run;
        await listener.moved;
      } finally {
        listener.stop();
      }
    }
  }

  async ended(runId: string): Promise<RunRecord> {
    return await this.until(runId, ({ status }) => isTerminal(status));
  }

  async stream(runId: string): Promise<StoredRunEvent[]> {
    const events = await this.store.committed.events.list({ runId, after: 0, limit: 100_000 });
    return events.map(({ seq, at, json }) => ({
      seq,
      at: new Date(at).toISOString(),
      event: JSON.parse(json),
    }));
  }

  async close(): Promise<void> {
    await this.executor.drain(0);
    await this.store.close();
    await this.place.remove();
  }
}

function memoryLogger(lines: string[]): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  const logger: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => logger,
  };
  return logger;
}
