// The port to what traces a piece of work through the service, across nodes and restarts. Implemented in telemetry/; no
// method may fail or wait.
// Why: docs/decisions/014-traces-behind-a-port-of-our-own.md

export type SpanKind = "internal" | "server" | "client" | "consumer";

/** Never a secret, a body or text from outside. */
type SpanAttributes = Readonly<Record<string, string | number>>;

export type SpanStart = {
  /** One of few names, without ids. */
  readonly name: string;
  /** Default: "internal". */
  readonly kind?: SpanKind;
  /**
   * The requesting span as a W3C `traceparent`. A malformed one, or null, begins a new trace. Default: the caller's current
   * span.
   */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
};

export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. `type` is a stable code, never a message. */
  fail(type: string): void;
}

export interface Tracer {
  /**
   * Runs `work` within a span that lasts until it settles. Spans that begin within it are its children. A rejection is passed
   * on, and marks the span as failed.
   */
  trace<Value>(start: SpanStart, work: (span: Span) => Promise<Value>): Promise<Value>;
  /**
   * The caller's current span as a W3C `traceparent`: to be stored with work that is done later, or sent with a request.
   * Null outside of a span.
   */
  here(): string | null;
}

const noSpan: Span = { rename: () => {}, set: () => {}, fail: () => {} };

/** Traces nothing. */
export const noTracer: Tracer = { trace: (_start, work) => work(noSpan), here: () => null };
