// The tracer on OpenTelemetry. Each service has a provider of its own; nothing is registered in the library's globals.
// Loaded only where traces are configured.
//
// The exporter and the resource read their settings from the environment by themselves.

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "../../base/log.ts";
import type { Span, SpanKind, SpanStart, Tracer } from "../core/ports/tracer.ts";
import type { TraceConfig } from "../settings/traces-config.ts";

/** The time that a stop waits for the last spans. The library ends a try in progress by its own timeout only. */
const CLOSE_MS = 2_000;
/** An unavailable collector is logged once in this time. */
const COMPLAIN_MS = 10 * 60 * 1000;

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  consumer: OtelSpanKind.CONSUMER,
};

export type Traces = {
  readonly tracer: Tracer;
  /** The same log, with the trace's id on the lines that are written within a span. */
  readonly log: Logger;
  /** Node's fetch, each request within a span. The span shows the URL: use it for the operator's addresses only. */
  readonly fetch: typeof globalThis.fetch;
  /** Sends the remaining spans, for at most two seconds. Never rejects. */
  close(): Promise<void>;
};

type TracesOptions = {
  readonly config: TraceConfig;
  readonly log: Logger;
  /** Identifies this process among others of the same service. */
  readonly instanceId: string;
};

export function openTraces({ config, log, instanceId }: TracesOptions): Traces {
  const { exporter, resource } = withWarnings(log, () => ({
    exporter: config.exporter === "console" ? new ConsoleSpanExporter() : new OTLPTraceExporter(),
    resource: resourceOf(instanceId),
  }));
  const { batch } = config;
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: complaining(exporter, log),
        scheduledDelayMillis: batch.delayMs,
        exportTimeoutMillis: batch.timeoutMs,
        maxQueueSize: batch.maxQueued,
        maxExportBatchSize: batch.maxSize,
      }),
    ],
  });
  const active = new AsyncLocalStorage<Context>();
  const tracer = tracerOf(provider, active);
  return {
    tracer,
    log: tracedLog(log, active),
    fetch: tracedFetch(tracer),
    close: async () => {
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => {}), limit.promise]);
      clearTimeout(timer);
    },
  };
}

/** Logs the faults that the library finds in its settings. Its logger is a global, so only for this moment. */
function withWarnings<Value>(log: Logger, work: () => Value): Value {
  const warn = (message: string) => log.warn({ problem: message }, "a setting of traces is ignored");
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  try {
    return work();
  } finally {
    diag.disable();
  }
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over what the service says of itself. */
function resourceOf(instanceId: string): Resource {
  const own = resourceFromAttributes({ "service.name": "agent-service", "service.instance.id": instanceId });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(own).merge(detectResources({ detectors }));
}

function tracerOf(provider: TracerProvider, active: AsyncLocalStorage<Context>): Tracer {
  const tracer = provider.getTracer("agent-service");
  return {
    trace: async (start, work) => {
      const options = { kind: kinds[start.kind ?? "internal"], attributes: { ...start.attributes } };
      const span = tracer.startSpan(start.name, options, parentOf(start, active.getStore()));
      try {
        return await active.run(trace.setSpan(ROOT_CONTEXT, span), () => work(handleOf(span)));
      } catch (cause) {
        fail(span, typeOf(cause));
        throw cause;
      } finally {
        span.end();
      }
    },
    here: () => {
      const span = spanIn(active);
      if (span === undefined) return null;
      const { traceId, spanId, traceFlags } = span.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
    },
  };
}

/** `tracestate` is left out: it is text from outside, and is not read. */
function parentOf({ parent }: SpanStart, active: Context = ROOT_CONTEXT): Context {
  if (parent === undefined) return active;
  const context = parent === null ? null : parseTraceParent(parent);
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true });
}

function spanIn(active: AsyncLocalStorage<Context>): OtelSpan | undefined {
  const context = active.getStore();
  return context === undefined ? undefined : trace.getSpan(context);
}

function handleOf(span: OtelSpan): Span {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: (type) => fail(span, type),
  };
}

function fail(span: OtelSpan, type: string): void {
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
}

/** An error's message may contain anything; its code and class do not. */
function typeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "_OTHER";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

function samplerOf({ sampler, samplerRatio }: TraceConfig): Sampler {
  switch (sampler) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(samplerRatio);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
  }
}

/** The same exporter, which also logs when spans are lost. */
function complaining(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  const look = (count: number, { code, error }: ExportResult) => {
    if (code === ExportResultCode.SUCCESS) return;
    lost += count;
    if (performance.now() - toldAt < COMPLAIN_MS) return;
    log.warn({ reason: reasonOf(error), spans_lost: lost }, "traces could not be exported");
    lost = 0;
    toldAt = performance.now();
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        look(spans.length, result);
        done(result);
      }),
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The network's error code, or the collector's status; else the library's message. */
function reasonOf(error: Error | undefined): string {
  const code = error !== undefined && "code" in error ? error.code : undefined;
  return String(code ?? error?.message ?? "unknown");
}

function tracedLog(log: Logger, active: AsyncLocalStorage<Context>): Logger {
  const fields = (given: Readonly<Record<string, unknown>>) => {
    const span = spanIn(active)?.spanContext();
    const isKept = span !== undefined && (span.traceFlags & TraceFlags.SAMPLED) !== 0;
    return isKept ? { ...given, trace_id: span.traceId } : given;
  };
  return {
    debug: (given, message) => log.debug(fields(given), message),
    info: (given, message) => log.info(fields(given), message),
    warn: (given, message) => log.warn(fields(given), message),
    error: (given, message) => log.error(fields(given), message),
    child: (given) => tracedLog(log.child(given), active),
  };
}

function tracedFetch(tracer: Tracer): typeof globalThis.fetch {
  return async (input, init) => {
    const { method, url } = new Request(input, init);
    const { hostname } = new URL(url);
    const attributes = { "http.request.method": method, "url.full": url, "server.address": hostname };
    return await tracer.trace({ name: method, kind: "client", attributes }, async (span) => {
      const response = await fetch(input, init);
      span.set({ "http.response.status_code": response.status });
      if (response.status >= 400) span.fail(String(response.status));
      return response;
    });
  };
}
