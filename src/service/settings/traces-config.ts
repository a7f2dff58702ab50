// OpenTelemetry's own settings, by their standard names and defaults: where traces go, in whose name, how many. What
// is wrong is refused by name, where the standard would warn and go on.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

import { readFileSync } from "node:fs";

export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type TraceConfig = {
  /** Null: the console. */
  readonly collector: Collector | null;
  /** What each span says of this service, `service.name` included. */
  readonly resource: Readonly<Record<string, string>>;
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

/** Takes OTLP over HTTP, as protobuf. */
export type Collector = {
  readonly url: string;
  /** May hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: "none" | "gzip";
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
};

type Environment = Readonly<Record<string, string | undefined>>;

/** What a setting may be. `read` returns undefined for what it may not be. */
type Kind<Value> = {
  readonly allowed: string;
  readonly read: (text: string) => Value | undefined;
  readonly isSecret?: true;
};

const MAX_MS = 3_600_000;
const MAX_SPANS = 1_000_000;
const DEFAULT_URL = "http://localhost:4318/v1/traces";
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const flag = oneOf(["true", "false"]);
const milliseconds = wholeNumber(1, MAX_MS);
const spans = wholeNumber(1, MAX_SPANS);
const readableFile: Kind<Buffer> = { allowed: "a file that can be read", read: readFile };
const ratio: Kind<number> = {
  allowed: "a number from 0 to 1",
  read: (text) => (/^(0?\.\d+|[01](\.\d*)?)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
};
const headers: Kind<Record<string, string>> = { ...pairs((name) => FIELD_NAME.test(name)), isSecret: true };
/** Whatever is in its path or query may be a key. */
const endpoint: Kind<URL> = {
  allowed: "an http:// or https:// URL without a user",
  isSecret: true,
  read: (text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ""
      ? url
      : undefined;
  },
};

/** Null where nothing asks for traces. Adds a line to `problems` for each wrong setting. */
export function readTraceConfig(environment: Environment, problems: string[]): TraceConfig | null {
  const take = <Value, Fallback>(names: readonly string[], kind: Kind<Value>, fallback: Fallback) => {
    const name = names.find((candidate) => (environment[candidate] ?? "").trim() !== "");
    const text = name === undefined ? "" : (environment[name] ?? "").trim();
    if (text === "") return fallback;
    const value = kind.read(text);
    if (value !== undefined) return value;
    const got = kind.isSecret === true ? "something else" : `"${text}"`;
    problems.push(`${name} must be ${kind.allowed}, got ${got}.`);
    return fallback;
  };
  /** The setting for traces wins over that for all signals. */
  const takeOtlp = <Value, Fallback>(name: string, kind: Kind<Value>, fallback: Fallback) =>
    take([`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`], kind, fallback);

  if (take(["OTEL_SDK_DISABLED"], flag, "false") === "true") return null;
  const exporter = take(["OTEL_TRACES_EXPORTER"], oneOf(["otlp", "console", "none"]), null);
  if (exporter === "none") return null;
  const forTraces = take(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], endpoint, null);
  const forAll = forTraces === null ? take(["OTEL_EXPORTER_OTLP_ENDPOINT"], endpoint, null) : null;
  const url = forTraces?.href ?? (forAll === null ? null : below(forAll));
  if (exporter === null && url === null) return null;

  const allHeaders = take(["OTEL_EXPORTER_OTLP_HEADERS"], headers, {});
  const traceHeaders = take(["OTEL_EXPORTER_OTLP_TRACES_HEADERS"], headers, {});
  takeOtlp("PROTOCOL", oneOf(["http/protobuf"]), null);
  const collector: Collector = {
    url: url ?? DEFAULT_URL,
    headers: { ...allHeaders, ...traceHeaders },
    timeoutMs: takeOtlp("TIMEOUT", milliseconds, 10_000),
    compression: takeOtlp("COMPRESSION", oneOf(["none", "gzip"]), "none"),
    tls: {
      ...named("ca", takeOtlp("CERTIFICATE", readableFile, null)),
      ...named("cert", takeOtlp("CLIENT_CERTIFICATE", readableFile, null)),
      ...named("key", takeOtlp("CLIENT_KEY", readableFile, null)),
    },
  };
  const maxQueued = take(["OTEL_BSP_MAX_QUEUE_SIZE"], spans, 2048);
  const anyText: Kind<string> = { allowed: "one line of text", read: (text) => text };
  const name = take(["OTEL_SERVICE_NAME"], anyText, null);
  return {
    collector: exporter === "console" ? null : collector,
    resource: {
      "service.name": "agent-service",
      ...take(
        ["OTEL_RESOURCE_ATTRIBUTES"],
        pairs((key) => key !== ""),
        {},
      ),
      ...(name === null ? {} : { "service.name": name }),
    },
    sampler: take(["OTEL_TRACES_SAMPLER"], oneOf(samplerNames), "parentbased_always_on"),
    samplerRatio: take(["OTEL_TRACES_SAMPLER_ARG"], ratio, 1),
    batch: {
      delayMs: take(["OTEL_BSP_SCHEDULE_DELAY"], milliseconds, 5_000),
      timeoutMs: take(["OTEL_BSP_EXPORT_TIMEOUT"], milliseconds, 30_000),
      maxQueued,
      maxSize: take(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], wholeNumber(1, maxQueued), Math.min(512, maxQueued)),
    },
  };
}

/** Where traces are taken below the address of a collector. */
function below(base: URL): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

function named<Name extends string>(name: Name, value: Buffer | null): Partial<Record<Name, Buffer>> {
  return value === null ? {} : ({ [name]: value } as Record<Name, Buffer>);
}

function oneOf<const Value extends string>(values: readonly Value[]): Kind<Value> {
  const allowed = values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
  return { allowed, read: (text) => values.find((value) => value === text.toLowerCase()) };
}

function wholeNumber(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read: (text) => {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
    },
  };
}

/** `name=value,name=value`, percent-encoded where it must. */
function pairs(isName: (name: string) => boolean): Kind<Record<string, string>> {
  return {
    allowed: "a list of name=value, separated by commas, with other commas and equals signs percent-encoded",
    read: (text) => {
      const entries: [string, string][] = [];
      for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
        const [name, value] = pair.split(/=(.*)/s, 2).map(decoded);
        // A line break would be another header.
        if (name === undefined || value === undefined || !isName(name) || /[\r\n\0]/.test(value))
          return undefined;
        entries.push([name, value]);
      }
      return Object.fromEntries(entries);
    },
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

function readFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
