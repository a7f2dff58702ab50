// The meter that Prometheus reads. Each service has a registry of its own. There is no timer, no observer and nothing
// in the library's global registry.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { LoadLimits } from "../core/limits/load.ts";
import type { Exposition, Meter } from "../core/ports/meter.ts";
import { registerProcessMetrics } from "./process-metrics.ts";

/** Seconds. A long poll takes up to 30. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Values that are read at each scrape. One that rejects is shown as NaN. */
type Gauges = {
  readonly runsInFlight: () => number;
  readonly runsWaiting: () => Promise<number>;
  readonly load: () => LoadLimits;
  readonly loopDelayMs: () => number;
  readonly blobsMissing: () => number;
  readonly storageFailures: () => number;
};

export type PrometheusMeter = Meter & {
  /** Shows these gauges from now on. Called once. */
  watch(gauges: Gauges): void;
  exposition(): Promise<Exposition>;
};

export function prometheusMeter(): PrometheusMeter {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "agent_service_http_requests_total",
    help: "Answered requests.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "agent_service_http_request_duration_seconds",
    help: "From a request's arrival to its answer. GET /v1/ci/runs/{runId} holds the time that readers chose to wait.",
    labelNames: ["method", "route"],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const exchanges = new Counter({
    name: "agent_service_exchanges_total",
    help: 'Answered token exchanges: "ok", or the reason of the refusal.',
    labelNames: ["outcome"],
    registers,
  });
  const runs = new Counter({
    name: "agent_service_runs_ended_total",
    help: "Runs that ended on this node. The cause is empty for a completed run.",
    labelNames: ["status", "cause"],
    registers,
  });
  const events = new Counter({
    name: "agent_service_run_events_appended_total",
    help: "Run events that this node committed.",
    registers,
  });
  const writes = new Counter({
    name: "agent_service_run_event_writes_total",
    help: "Writes that carried them.",
    registers,
  });
  const polls = new Gauge({
    name: "agent_service_polls_waiting",
    help: "Readers that wait for a run to move.",
    registers,
  });
  registerProcessMetrics(registry);
  const childOf = remembered((method: string, route: string, status: string) => ({
    count: requests.labels(method, route, status),
    duration: durations.labels(method, route),
  }));

  return {
    requestAnswered: ({ method, route, status, durationMs }) => {
      const child = childOf(method, route, String(status));
      child.count.inc();
      child.duration.observe(durationMs / 1000);
    },
    exchangeAnswered: (outcome) => exchanges.inc({ outcome }),
    runEnded: ({ status, cause }) => runs.inc({ status, cause: cause ?? "" }),
    eventsAppended: (count) => {
      events.inc(count);
      writes.inc();
    },
    pollWaits: () => polls.inc(),
    pollResumed: () => polls.dec(),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    watch: ({ runsInFlight, runsWaiting, load, loopDelayMs, blobsMissing, storageFailures }) => {
      readGauge(
        "agent_service_storage_failures",
        "Calls of the storage of large contents that failed since this node began.",
        storageFailures,
      );
      readGauge("agent_service_runs_in_flight", "Runs at work on this node.", runsInFlight);
      readGauge("agent_service_requests_in_flight", "Requests at work on this node.", () => load().requests);
      readGauge("agent_service_sockets_open", "Open WebSockets of this node.", () => load().sockets);
      readGauge(
        "agent_service_event_loop_delay_seconds",
        "How late the event loop was at most in the last seconds.",
        () => loopDelayMs() / 1000,
      );
      readGauge(
        "agent_service_blobs_missing",
        "Blobs that this node did not find at its start, of up to 1,000 that it looked for.",
        blobsMissing,
      );
      readGauge("agent_service_runs_waiting", "Runs that wait for a worker, of all nodes.", runsWaiting);
    },
  };

  function readGauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await Promise.resolve(read()).catch(() => Number.NaN));
      },
    });
  }
}

/** Like `make`, called once for each set of labels: the library looks them up at every call. */
function remembered<Value>(make: (...labels: [string, string, string]) => Value) {
  const known = new Map<string, Value>();
  return (...labels: [string, string, string]): Value => {
    const key = labels.join(" ");
    const value = known.get(key) ?? make(...labels);
    known.set(key, value);
    return value;
  };
}
