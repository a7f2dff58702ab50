import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/service/settings/config.ts";
import { readTraceConfig } from "../../../src/service/settings/traces-config.ts";

type Environment = Readonly<Record<string, string>>;

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

function read(environment: Environment) {
  const problems: string[] = [];
  const config = readTraceConfig(environment, problems);
  expect(problems).toEqual([]);
  return config;
}

function problemsOf(environment: Environment): readonly string[] {
  const config = readConfig({}, environment);
  return config.ok ? [] : config.refusal;
}

describe("OpenTelemetry's settings", () => {
  it.each<[string, Environment]>([
    ["nothing is said", {}],
    ["no address and no exporter is named", { OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    ["the exporter is none", { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }],
    ["the SDK is disabled", { ...ENDPOINT, OTEL_SDK_DISABLED: "True", OTEL_BSP_SCHEDULE_DELAY: "x" }],
    ["the address is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
  ])("ask for no traces where %s", (_case, environment) => {
    expect(read(environment)).toBeNull();
  });

  it("have the standard's defaults", () => {
    expect(read(ENDPOINT)).toEqual({
      exporter: "otlp",
      sampler: "parentbased_always_on",
      samplerRatio: 1,
      batch: { delayMs: 5_000, timeoutMs: 30_000, maxQueued: 2048, maxSize: 512 },
    });
  });

  it("are all taken, and the protocol for traces wins", () => {
    const config = read({
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/otlp?team=1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_BSP_SCHEDULE_DELAY: "1",
      OTEL_BSP_EXPORT_TIMEOUT: "2",
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
    });
    expect(config).toEqual({
      exporter: "otlp",
      sampler: "traceidratio",
      samplerRatio: 0.25,
      batch: { delayMs: 1, timeoutMs: 2, maxQueued: 100, maxSize: 100 },
    });
  });

  it("are on where only the exporter is named", () => {
    expect(read({ OTEL_TRACES_EXPORTER: "otlp" })?.exporter).toBe("otlp");
    expect(read({ OTEL_TRACES_EXPORTER: "console" })?.exporter).toBe("console");
  });

  it.each([
    ["OTEL_SDK_DISABLED", "yes", 'must be true or false, got "yes".'],
    ["OTEL_TRACES_EXPORTER", "zipkin", 'must be one of otlp, console, none, got "zipkin".'],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 'must be http/protobuf, got "grpc".'],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", 'must be http/protobuf, got "http/json".'],
    [
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "https://user:pw@collector",
      "must be an http:// or https:// URL without a user, got something else.",
    ],
    [
      "OTEL_TRACES_SAMPLER",
      "jaeger_remote",
      'must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, got "jaeger_remote".',
    ],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5", 'must be a number from 0 to 1, got "1.5".'],
    ["OTEL_BSP_SCHEDULE_DELAY", "0", 'must be an integer from 1 to 3600000, got "0".'],
    ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "many", 'must be an integer from 1 to 1000000, got "many".'],
  ])("are named at the start when wrong: %s=%s", (name, value, problem) => {
    expect(problemsOf({ ...ENDPOINT, [name]: value })).toEqual([`${name} ${problem}`]);
  });
});
