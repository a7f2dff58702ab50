// The settings of traces, which are OpenTelemetry's by their standard names and defaults: its library reads those of the
// exporter and of the resource itself, and here are the ones that it leaves to its users. Pure.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

import type { Environment } from "../../base/environment.ts";
import { flag, integer, oneOf } from "../../base/settings/kinds.ts";
import { described, kind, readSettings, variablesOf } from "../../base/settings/setting.ts";

const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type TraceConfig = {
  /** The collector gets OTLP over HTTP, as protobuf. */
  readonly exporter: "otlp" | "console";
  readonly sampler: (typeof samplerNames)[number];
  /** From 0 to 1, for the samplers of a ratio. */
  readonly samplerRatio: number;
  readonly batch: {
    readonly delayMs: number;
    readonly timeoutMs: number;
    readonly maxQueued: number;
    readonly maxSize: number;
  };
};

const milliseconds = integer({ min: 1, max: 3_600_000 });
const spans = integer({ min: 1, max: 1_000_000 });
const protocol = oneOf(["http/protobuf"]);
const ratio = kind("a number from 0 to 1", (text) =>
  /^(0?\.\d+|[01](\.\d*)?)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);
/** Whatever is in its path or query may be a key. */
const endpoint = {
  ...kind("an http:// or https:// URL without a user", (text) => {
    const url = URL.parse(text);
    const isHttp = url !== null && /^https?:$/.test(url.protocol);
    return isHttp && url.username + url.password === "" ? url.href : undefined;
  }),
  isSecret: true,
};

const switches = {
  OTEL_SDK_DISABLED: described({
    kind: flag,
    fallback: false,
    description: "`true` switches traces off, whatever else is set.",
  }),
  OTEL_TRACES_EXPORTER: described({
    kind: oneOf(["otlp", "console", "none"]),
    fallback: null,
    description: "Where traces go: to a collector, to standard output, or nowhere.",
    shownDefault: "`otlp` where an endpoint is set, else `none`",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: described({
    kind: endpoint,
    fallback: null,
    description: "The address of the collector. Traces go to `/v1/traces` below it.",
    shownDefault: "none; with `OTEL_TRACES_EXPORTER=otlp`, this machine",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: described({
    kind: endpoint,
    fallback: null,
    description: "The address for traces, as it is.",
    shownDefault: "below `OTEL_EXPORTER_OTLP_ENDPOINT`",
  }),
};

const sampling = {
  OTEL_TRACES_SAMPLER: described({
    kind: oneOf(samplerNames),
    fallback: "parentbased_always_on",
    description: "Which traces are kept.",
  }),
  OTEL_TRACES_SAMPLER_ARG: described({
    kind: ratio,
    fallback: 1,
    description: "The share of traces that a sampler of a ratio keeps.",
  }),
  OTEL_BSP_SCHEDULE_DELAY: described({
    kind: milliseconds,
    fallback: 5_000,
    description: "Milliseconds between two batches of spans.",
  }),
  OTEL_BSP_EXPORT_TIMEOUT: described({
    kind: milliseconds,
    fallback: 30_000,
    description: "Milliseconds that one batch may take to be sent.",
  }),
  OTEL_BSP_MAX_QUEUE_SIZE: described({
    kind: spans,
    fallback: 2048,
    description: "Spans that may wait. Further ones are dropped.",
  }),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: described({
    kind: spans,
    fallback: 512,
    description: "Spans in one batch, at most as many as may wait.",
  }),
};

const protocols = {
  OTEL_EXPORTER_OTLP_PROTOCOL: described({
    kind: protocol,
    fallback: "http/protobuf",
    description: "The collector's protocol. No other is supported.",
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: described({
    kind: protocol,
    fallback: "http/protobuf",
    description: "The same, for traces alone.",
    shownDefault: "`OTEL_EXPORTER_OTLP_PROTOCOL`",
  }),
};

/** By the names of their environment variables, in the order of the documentation. */
export const traceSettings = { ...switches, ...protocols, ...sampling };

/** Null where traces are off. Adds a line to `problems` for each wrong setting. */
export function readTraceConfig(environment: Environment, problems: string[]): TraceConfig | null {
  const source = variablesOf(environment);
  const { values: given, problems: faults } = readSettings(switches, source);
  if (given.OTEL_SDK_DISABLED || given.OTEL_TRACES_EXPORTER === "none") return null;
  const isEndpointGiven = [
    environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  ].some((text) => (text ?? "").trim() !== "");
  const exporter = given.OTEL_TRACES_EXPORTER ?? (isEndpointGiven ? "otlp" : null);
  problems.push(...faults);
  if (exporter === null) return null;
  const { values, problems: wrong } = readSettings({ ...usedProtocol(environment), ...sampling }, source);
  problems.push(...wrong);
  return {
    exporter,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    batch: {
      delayMs: values.OTEL_BSP_SCHEDULE_DELAY,
      timeoutMs: values.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueued: values.OTEL_BSP_MAX_QUEUE_SIZE,
      maxSize: Math.min(values.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, values.OTEL_BSP_MAX_QUEUE_SIZE),
    },
  };
}

/** The protocol for traces wins over that for all signals, which may then be another. */
function usedProtocol(environment: Environment): Partial<typeof protocols> {
  const { OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL } = protocols;
  return (environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? "").trim() === ""
    ? { OTEL_EXPORTER_OTLP_PROTOCOL }
    : { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL };
}
