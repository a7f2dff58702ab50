import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import { readTraceConfig, type TraceConfig } from "../../../src/service/settings/traces-config.ts";
import { makeTestKey } from "../../support/account-key.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { type CollectedSpan, OtlpCollector } from "../../support/otlp-collector.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import { sqliteStore } from "../../support/stores/stores.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const SUBMIT = "POST /v1/agents/{agentID}/runs";
/** A port that nobody listens on. */
const NOBODY = "http://127.0.0.1:1";

/**
 * What an operator says, read as the service reads it; OpenTelemetry reads the rest when a service starts. Batches are
 * sent at once.
 */
function traces(endpoint: string, environment: Readonly<Record<string, string>> = {}): TraceConfig | null {
  vi.unstubAllEnvs();
  const said = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: "1", ...environment };
  for (const [name, value] of Object.entries(said)) vi.stubEnv(name, value);
  const problems: string[] = [];
  const config = readTraceConfig(said, problems);
  expect(problems).toEqual([]);
  return config;
}

/** A caller's span, and another trace for each number. */
function from(trace: number, flags = "01"): { traceId: string; headers: { traceparent: string } } {
  const traceId = TRACE.slice(0, -2) + (0x10 + trace).toString(16);
  return { traceId, headers: { traceparent: `00-${traceId}-${CALLER}-${flags}` } };
}

const scripts: Record<string, (task: BackendTask) => Promise<void>> = {
  wait: untilStopped,
  where: (task) => say(task, String(task.traceparent())),
  break: async () => {
    throw new Error("The script quotes a stranger.");
  },
};

const scripted = scriptedBackend(async (task) => {
  await scripts[String(task.messages[0]?.content)]?.(task);
});

let collector: OtlpCollector;
let fixture: ServiceFixture;

const named =
  (name: string, traceId: string) =>
  (span: CollectedSpan): boolean =>
    span.name === name && span.traceId === traceId;

beforeAll(async () => {
  collector = await OtlpCollector.start();
  fixture = await startFixture({
    level: "service",
    backend: scripted,
    config: {
      traces: traces(collector.url, {
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=operators-key",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_SERVICE_NAME: "agents",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      }),
    },
  });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await fixture.close();
  await collector.close();
});

describe("a request's span", () => {
  it("is a server's, by route, in the caller's trace, with the request's id", async () => {
    const job = await fixture.job();
    const { traceId, headers } = from(0);
    const runId = await job.start();
    const answer = await job.call(`${job.runsPath}/${runId}`, { headers });
    const span = await collector.span(named("GET /v1/agents/{agentID}/runs/{runID}", traceId));
    const { hostname, port } = new URL(fixture.url);
    expect(span).toMatchObject({ kind: "server", parentId: CALLER, hasFailed: false });
    expect(span.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/agents/{agentID}/runs/{runID}",
      "http.response.status_code": 200,
      "url.path": `${job.runsPath}/${runId}`,
      "url.scheme": "http",
      "server.address": hostname,
      "server.port": Number(port),
      "agent_service.request.id": answer.headers.get("x-request-id"),
    });
    expect(span.resource).toMatchObject({
      "service.name": "agents",
      "deployment.environment.name": "test",
      "service.instance.id": expect.stringMatching(/^[\da-f-]{36}$/),
      "telemetry.sdk.language": "nodejs",
    });
    const line = fixture
      .logText()
      .split("\n")
      .find((text) => text.includes(String(answer.headers.get("x-request-id"))));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ msg: "request", trace_id: traceId });
  });

  it("reaches the collector below its address, with the operator's headers", async () => {
    await collector.span(() => true);
    expect(collector.requests[0]?.path).toBe("/v1/traces");
    expect(collector.requests[0]?.headers).toMatchObject({
      "api-key": "operators-key",
      "content-encoding": "gzip",
      "content-type": "application/x-protobuf",
    });
  });

  it("begins a trace of its own without a caller's, and with one that is malformed", async () => {
    const paths = ["/v1/pricing/models", "/v1/pricing/tools"];
    await fixture.call(paths[0] ?? "");
    await fixture.call(paths[1] ?? "", { headers: { traceparent: `00-${"0".repeat(32)}-${CALLER}-01` } });
    for (const path of paths) {
      const span = await collector.span(({ name }) => name === `GET ${path}`);
      expect(span.parentId).toBe("");
      expect(span.traceId).not.toMatch(/^0+$/);
    }
  });

  it("has no words of a stranger: no path without a route, nothing that stands where an id should", async () => {
    const unknown = from(1);
    await fixture.call("/secret-path?secret-query", {
      headers: { ...unknown.headers, tracestate: "a=secret-state" },
    });
    const span = await collector.span(named("GET", unknown.traceId));
    expect(span.attributes).not.toHaveProperty("url.path");
    expect(span).toMatchObject({ hasFailed: false, attributes: { "agent_service.problem": "not_found" } });
    const misplaced = from(2);
    await fixture.call("/v1/agents/secret-id/runs", misplaced);
    const other = await collector.span(({ traceId }) => traceId === misplaced.traceId);
    expect(other.attributes["url.path"]).toBe("/v1/agents/…/runs");
    expect(collector.text()).not.toContain("secret");
  });

  it("is left out where the caller's trace is not sampled, and so is the run", async () => {
    const [left, kept] = [from(3, "00"), from(4)];
    const job = await fixture.job();
    for (const { headers } of [left, kept]) {
      const answer = await job.submit({ message: "where" }, headers);
      await job.ended(String(answer.headers.get("x-svc-run-id")));
    }
    await collector.span(named("run", kept.traceId));
    expect(collector.spans.filter(({ traceId }) => traceId === left.traceId)).toEqual([]);
    expect(fixture.logText()).not.toContain(left.traceId);
  });
});

describe("a run's span", () => {
  it("is in the trace of the request that submitted it, with its parts below, and the backend knows where", async () => {
    const { traceId, headers } = from(5);
    const job = await fixture.job();
    const answer = await job.submit({ message: "where" }, headers);
    const runId = String(answer.headers.get("x-svc-run-id"));
    const events = await job.follow(runId);
    const run = await collector.span(named("run", traceId));
    const request = await collector.span(named(SUBMIT, traceId));
    expect(run).toMatchObject({ kind: "consumer", parentId: request.spanId, hasFailed: false });
    expect(run.attributes).toEqual({
      "agent_service.run.id": runId,
      "agent_service.run.origin": "user",
      "agent_service.run.waited_ms": 0,
      "agent_service.run.status": "completed",
      "agent_service.agent.id": job.agentId,
    });
    const backend = await collector.span(named("run backend", traceId));
    const finish = await collector.span(named("finish", traceId));
    expect([backend.parentId, finish.parentId]).toEqual([run.spanId, run.spanId]);
    expect(backend.attributes).toEqual({ "agent_service.backend": "scripted" });
    const said = events
      .map(({ event }) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : ""))
      .join("");
    expect(said).toBe(`00-${traceId}-${backend.spanId}-01`);
    const line = fixture
      .logText()
      .split("\n")
      .find((text) => text.includes("run ended") && text.includes(runId));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ trace_id: traceId });
  });

  it("has failed when the run has, by its cause, and quotes no error", async () => {
    const { traceId, headers } = from(6);
    const job = await fixture.job();
    await job.submit({ message: "break" }, headers);
    const run = await collector.span(named("run", traceId));
    expect(run).toMatchObject({ hasFailed: true, attributes: { "error.type": "backend_error" } });
    const backend = await collector.span(named("run backend", traceId));
    expect(backend).toMatchObject({ hasFailed: true, attributes: { "error.type": "Error" } });
    expect(collector.text()).not.toContain("stranger");
  });

  it("has not failed when the run was cancelled", async () => {
    const { traceId, headers } = from(7);
    const job = await fixture.job();
    const answer = await job.submit({ message: "wait" }, headers);
    const runId = String(answer.headers.get("x-svc-run-id"));
    await job.readUntil(runId, ({ event }) => event.type === "RUN_STARTED");
    await job.cancel(runId);
    const run = await collector.span(named("run", traceId));
    expect(run).toMatchObject({ hasFailed: false, attributes: { "agent_service.run.status": "cancelled" } });
  });

  it("has the checkout below it, and why there is none", async () => {
    const offline = await startFixture({ level: "service", config: { traces: traces(collector.url) } });
    try {
      const { traceId, headers } = from(8);
      const job = await offline.job();
      await job.submit({ message: "go" }, headers);
      const run = await collector.span(named("run", traceId));
      const opening = await collector.span(named("open checkout", traceId));
      expect(opening.parentId).toBe(run.spanId);
      expect(opening).toMatchObject({ hasFailed: true, attributes: { "error.type": "clone_failed" } });
    } finally {
      await offline.close();
    }
  });
});

onEveryStore((kind) => {
  describe("a trace", () => {
    it("goes on in the service that takes the run after a restart", async () => {
      const config = { maxRunningRuns: 1, traces: traces(collector.url) };
      const other = await startFixture({ level: "service", store: kind, backend: scripted, config });
      try {
        const { traceId, headers } = from(kind === sqliteStore ? 9 : 10);
        const job = await other.job();
        const busy = await job.start("wait");
        await job.readUntil(busy, ({ event }) => event.type === "RUN_STARTED");
        await job.submit({ message: "where" }, headers);
        await other.restart();
        const run = await collector.span(named("run", traceId));
        const request = await collector.span(named(SUBMIT, traceId));
        expect(run.parentId).toBe(request.spanId);
        expect(run.resource["service.instance.id"]).not.toBe(request.resource["service.instance.id"]);
      } finally {
        await other.close();
      }
    });
  });
});

describe("a schedule's firing", () => {
  it("begins a trace, which its run goes on with", async () => {
    const other = await startFixture({
      level: "service",
      backend: scripted,
      config: { traces: traces(collector.url) },
    });
    try {
      await other.stop();
      const { secret: bearer } = await makeTestKey(other.place);
      await other.restart();
      const post = async (path: string, json: unknown) =>
        (await other.call(path, { method: "POST", bearer, json })).body as { id: string };
      const agent = await post("/v1/agents", { name: "helper" });
      const path = `/v1/agents/${agent.id}/schedules`;
      const { id } = await post(path, { prompt: "where", delay_seconds: 60 });
      const read = async () => (await other.call(`${path}/${id}`, { bearer })).body as { status: string };
      while ((await read()).status !== "done") other.clock.advance(1_000);
      const firing = await collector.span(({ name }) => name === "fire schedule");
      expect(firing).toMatchObject({ parentId: "", attributes: { "agent_service.schedule.id": id } });
      const run = await collector.span(named("run", firing.traceId));
      expect(run.parentId).toBe(firing.spanId);
      expect(run.attributes["agent_service.run.origin"]).toBe("schedule");
    } finally {
      await other.close();
    }
  });
});

describe("an exchange's spans", () => {
  it("are the verification and the request for keys, and fail with what the service answers 5xx to", async () => {
    const issuerEntry = { jwks_uri: `${NOBODY}/jwks` };
    const other = await startFixture({
      level: "service",
      issuerEntry,
      config: { traces: traces(collector.url) },
    });
    try {
      const { traceId, headers } = from(11);
      expect((await other.exchange(other.mint(other.freshRepository()), headers)).status).toBe(503);
      const request = await collector.span(named("POST /v1/ci/oidc/exchange", traceId));
      expect(request).toMatchObject({
        hasFailed: true,
        attributes: { "error.type": "503", "agent_service.problem": "keys_unavailable" },
      });
      const verification = await collector.span(named("verify token", traceId));
      expect(verification).toMatchObject({
        parentId: request.spanId,
        hasFailed: false,
        attributes: { "agent_service.refusal": "keys_unavailable" },
      });
      const keys = await collector.span(named("GET", traceId));
      expect(keys).toMatchObject({ kind: "client", parentId: verification.spanId, hasFailed: true });
      expect(keys.attributes["url.full"]).toBe(issuerEntry.jwks_uri);
    } finally {
      await other.close();
    }
  });

  it("hold no token, capability or claim, and no prompt", async () => {
    const job = await fixture.job(fixture.freshRepository({ repository_visibility: "private" }));
    const { traceId, headers } = from(12);
    await job.submit({ message: "A prompt that nobody else may read." }, headers);
    const claim = fixture.secrets.find((secret) => secret.startsWith("svc_claim_"));
    await fixture.call(`/claim/${claim}`, { headers });
    const page = await collector.span(({ name, traceId: id }) => id === traceId && name.includes("/claim/"));
    expect(page.attributes["url.path"]).toBe("/claim/*");
    await collector.span(named(SUBMIT, traceId));
    expect(fixture.secrets.length).toBeGreaterThan(3);
    for (const secret of [...fixture.secrets, "nobody else"]) expect(collector.text()).not.toContain(secret);
  });
});

describe("a service with a collector that is away", () => {
  it("works, says so once, and stops", async () => {
    const config = { traces: traces(NOBODY, { OTEL_EXPORTER_OTLP_TIMEOUT: "1" }) };
    const other = await startFixture({ level: "service", backend: scripted, config });
    try {
      for (let count = 0; count < 3; count += 1) {
        const { job, runId } = await other.jobWithRun();
        expect((await job.ended(runId)).status).toBe("completed");
      }
    } finally {
      await other.close();
    }
    const lines = other
      .logText()
      .split("\n")
      .filter((line) => line.includes("could not be exported"));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ reason: "ECONNREFUSED", level: 40 });
  });
});

describe("a service with a setting that OpenTelemetry does not understand", () => {
  it("names it in the log, and lets no line break into a header", async () => {
    const other = await OtlpCollector.start();
    const config = {
      traces: traces(other.url, {
        OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=secret%0D%0Ax: y",
      }),
    };
    const fixture = await startFixture({ level: "service", backend: scripted, config });
    try {
      await fixture.call("/v1/pricing/models");
    } finally {
      await fixture.close();
    }
    await other.close();
    const warnings = fixture.logText().split("\n");
    const ignored = warnings.find((line) => line.includes("a setting of traces is ignored"));
    expect(JSON.parse(ignored ?? "{}").problem).toContain("OTEL_EXPORTER_OTLP_TIMEOUT");
    expect(fixture.logText()).not.toContain("secret");
    expect(other.requests.map(({ headers }) => headers.x)).toEqual(other.requests.map(() => undefined));
  });
});

describe("a service without traces", () => {
  it.each<Readonly<Record<string, string>>>([
    { OTEL_SDK_DISABLED: "true" },
    { OTEL_TRACES_EXPORTER: "none" },
  ])("sends nothing: %j", async (said) => {
    const silent = await OtlpCollector.start();
    const other = await startFixture({
      level: "service",
      backend: scripted,
      config: { traces: traces(silent.url, said) },
    });
    try {
      const { job, runId } = await other.jobWithRun();
      expect((await job.ended(runId)).status).toBe("completed");
    } finally {
      await other.close();
      await silent.close();
    }
    expect(silent.requests).toEqual([]);
    expect(other.logText()).not.toContain("trace_id");
  });
});
