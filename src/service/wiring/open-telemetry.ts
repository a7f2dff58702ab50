// Traces and metrics of a node, by its settings. Each is loaded only where it is asked for: metrics are a tenth of the time to start.

import { HttpListener } from "../api/http/listener.ts";
import type { Config } from "../settings/config.ts";
import type { PrometheusMeter } from "../telemetry/metrics.ts";
import type { Traces } from "../telemetry/traces.ts";
import type { MachineParts } from "./open-backends.ts";

export type OpenedMetrics = {
  readonly meter: PrometheusMeter;
  readonly listener: HttpListener;
  readonly port: number;
};

/** Null where the settings give them no port. */
export async function openMetrics({ metricsPort: port }: Config): Promise<OpenedMetrics | null> {
  if (port === null) return null;
  const { prometheusMeter } = await import("../telemetry/metrics.ts");
  return { meter: prometheusMeter(), listener: new HttpListener(), port };
}

/** Null where the settings name nobody who takes them. */
export async function openTracesOf({ config, log, clock, random }: MachineParts): Promise<Traces | null> {
  if (config.traces === null) return null;
  const { openTraces } = await import("../telemetry/traces.ts");
  return openTraces({ config: config.traces, log, instanceId: random.uuid(clock.now()) });
}
