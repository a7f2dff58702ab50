// The port to whatever follows a piece of work through the service, across nodes and restarts. Implemented in
// service/traces.ts; nothing here may fail or wait.
// Why: docs/decisions/014-traces-behind-a-port-of-our-own.md

export type SpanKind = "internal" | "server" | "client" | "consumer";

/** What the service itself knows: never a secret, a body or a stranger's text. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export type SpanStart = {
  /** One of few: without ids. */
  readonly name: string;
  /** "internal" unless told. */
  readonly kind?: SpanKind;
  /**
   * Who asked for the work, as W3C's `traceparent` has it; one that is malformed, or null, begins a new trace. The
   * span that the caller is within, unless told.
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
   * Does `work` within a span that lasts until it settles. Spans that begin meanwhile are its children; a rejection is
   * passed on, and fails it.
   */
  trace<Value>(start: SpanStart, work: (span: Span) => Promise<Value>): Promise<Value>;
  /**
   * The span that the caller is within, as W3C's `traceparent` has it: to be stored with work that is done later, or
   * sent with a request. Null outside of any.
   */
  here(): string | null;
}

const noSpan: Span = { rename: () => {}, set: () => {}, fail: () => {} };

/** Follows nothing. */
export const noTracer: Tracer = { trace: (_start, work) => work(noSpan), here: () => null };
