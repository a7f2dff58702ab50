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
      collector: {
        url: "http://collector:4318/v1/traces",
        headers: {},
        timeoutMs: 10_000,
        compression: "none",
        tls: {},
      },
      resource: { "service.name": "agent-service" },
      sampler: "parentbased_always_on",
      samplerRatio: 1,
      batch: { delayMs: 5_000, timeoutMs: 30_000, maxQueued: 2048, maxSize: 512 },
    });
  });

  it("are all taken, and those for traces win", () => {
    const config = read({
      ...ENDPOINT,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/otlp?team=1",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=all,x-team=a%2Cb=",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: " api-key = traces ",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
      OTEL_EXPORTER_OTLP_COMPRESSION: "GZIP",
      OTEL_SERVICE_NAME: "agents",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=test",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_BSP_SCHEDULE_DELAY: "1",
      OTEL_BSP_EXPORT_TIMEOUT: "2",
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
    });
    expect(config).toEqual({
      collector: {
        url: "https://traces.example/otlp?team=1",
        headers: { "api-key": "traces", "x-team": "a,b=" },
        timeoutMs: 1_000,
        compression: "gzip",
        tls: {},
      },
      resource: { "service.name": "agents", "deployment.environment.name": "test" },
      sampler: "traceidratio",
      samplerRatio: 0.25,
      batch: { delayMs: 1, timeoutMs: 2, maxQueued: 100, maxSize: 100 },
    });
  });

  it("go to this machine's collector where only the exporter is named", () => {
    expect(read({ OTEL_TRACES_EXPORTER: "otlp" })?.collector?.url).toBe("http://localhost:4318/v1/traces");
    expect(read({ OTEL_TRACES_EXPORTER: "console" })?.collector).toBeNull();
  });

  it("keep the path of a collector behind a proxy", () => {
    const config = read({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://proxy.example/otel/" });
    expect(config?.collector?.url).toBe("https://proxy.example/otel/v1/traces");
  });

  it.each([
    ["OTEL_SDK_DISABLED", "yes", 'must be one of true, false, got "yes".'],
    ["OTEL_TRACES_EXPORTER", "zipkin", 'must be one of otlp, console, none, got "zipkin".'],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 'must be http/protobuf, got "grpc".'],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", 'must be http/protobuf, got "http/json".'],
    [
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "https://user:pw@collector",
      "must be an http:// or https:// URL without a user, got something else.",
    ],
    [
      "OTEL_EXPORTER_OTLP_HEADERS",
      "Bearer secret",
      "must be a list of name=value, separated by commas, with other commas and equals signs percent-encoded, got something else.",
    ],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "10s", 'must be a whole number from 1 to 3600000, got "10s".'],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", 'must be one of none, gzip, got "zstd".'],
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere", 'must be a file that can be read, got "/nowhere".'],
    [
      "OTEL_RESOURCE_ATTRIBUTES",
      "a%=b",
      'must be a list of name=value, separated by commas, with other commas and equals signs percent-encoded, got "a%=b".',
    ],
    [
      "OTEL_TRACES_SAMPLER",
      "jaeger_remote",
      'must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, got "jaeger_remote".',
    ],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5", 'must be a number from 0 to 1, got "1.5".'],
    ["OTEL_BSP_SCHEDULE_DELAY", "0", 'must be a whole number from 1 to 3600000, got "0".'],
    ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", 'must be a whole number from 1 to 2048, got "4096".'],
  ])("are named at the start when wrong: %s=%s", (name, value, problem) => {
    expect(problemsOf({ ...ENDPOINT, [name]: value })).toEqual([`${name} ${problem}`]);
  });

  it("let no line break into a header", () => {
    const name = "OTEL_EXPORTER_OTLP_HEADERS";
    expect(problemsOf({ ...ENDPOINT, [name]: "api-key=secret%0D%0Ax: y" })).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS must be (?!.*secret)/),
    ]);
  });
});
