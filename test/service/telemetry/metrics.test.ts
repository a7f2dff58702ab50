import { register } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemSchema } from "../../../src/contract/problems/problem.ts";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import { prometheusMeter } from "../../../src/service/telemetry/metrics.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { scrape } from "../../support/metrics.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";
import { call } from "../../support/service-client.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const scripts: Record<string, (task: BackendTask) => Promise<void>> = {
  wait: untilStopped,
  quick: (task) => say(task, "done"),
  break: async () => {
    throw new Error("broken");
  },
};

onEveryStore((kind) => {
  describe("GET /metrics", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      const backend = scriptedBackend(async (task) => {
        await scripts[String(task.messages[0]?.content)]?.(task);
      });
      fixture = await startFixture({ level: "service", store: kind, backend, config: { maxRunningRuns: 1 } });
    });

    afterAll(() => fixture.close());

    it("counts runs by ending and cause, and the events that they wrote", async () => {
      const job = await fixture.job();
      const before = await scrape(fixture);
      const events = before.value("agent_service_run_events_appended_total") ?? 0;
      let written = 0;
      for (const message of ["quick", "quick", "break"]) {
        const runId = await job.start(message);
        await job.ended(runId);
        written += (await job.follow(runId)).length;
      }
      const after = await scrape(fixture);
      expect(after.value('agent_service_runs_ended_total{status="completed",cause=""}')).toBe(2);
      expect(after.value('agent_service_runs_ended_total{status="failed",cause="backend_error"}')).toBe(1);
      expect(after.value("agent_service_run_events_appended_total")).toBe(events + written);
      expect(after.value("agent_service_run_event_writes_total")).toBeGreaterThanOrEqual(6);
    });

    it("shows what is at work, what waits for a worker and who waits for a run, now", async () => {
      const job = await fixture.job();
      const busy = await job.start("wait");
      await job.readUntil(busy, ({ event }) => event.type === "RUN_STARTED");
      const queued = await job.start("wait");
      const atWork = await scrape(fixture);
      expect(atWork.value("agent_service_runs_in_flight")).toBe(1);
      expect(atWork.value("agent_service_runs_waiting")).toBe(1);
      expect(atWork.value("agent_service_polls_waiting")).toBe(0);

      const poll = job.call(`/v1/ci/runs/${queued}?wait=30`);
      while ((await scrape(fixture)).value("agent_service_polls_waiting") !== 1);
      await job.cancel(queued);
      expect((await poll).status).toBe(200);
      await job.cancel(busy);
      await job.ended(busy);
      const after = await scrape(fixture);
      expect(after.value("agent_service_polls_waiting")).toBe(0);
      expect(after.value("agent_service_runs_waiting")).toBe(0);
      expect(after.value('agent_service_runs_ended_total{status="cancelled",cause="user_stop"}')).toBe(2);
    });
  });
});

describe("GET /metrics", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { backend: "noop" } });
  });

  afterAll(() => fixture.close());

  it("is text that Prometheus reads, uncached, with the process in it", async () => {
    const answer = await call(`${fixture.metricsUrl}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const metrics = await scrape(fixture);
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
      "nodejs_heap_size_used_bytes",
    ]) {
      expect(metrics.value(name), name).toBeGreaterThan(0);
    }
    expect(metrics.value("nodejs_eventloop_utilization")).toBeGreaterThanOrEqual(0);
  });

  it("is not on the API's port, and its own port has nothing else", async () => {
    const answer = await fixture.call("/metrics");
    expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([404, "not_found"]);
    for (const path of ["/", "/healthz", "/v1/pricing/models"]) {
      expect((await call(`${fixture.metricsUrl}${path}`)).status).toBe(404);
    }
  });

  it("counts requests by route pattern, method and status, and times them", async () => {
    const { job, runId } = await fixture.jobWithRun();
    await job.run(runId);
    await job.run("no-run").catch(() => {});
    await fixture.call(`/v1/agents/${job.agentId}/runs`, { method: "POST", json: {} });
    const metrics = await scrape(fixture);
    const requests = (labels: string) => metrics.value(`agent_service_http_requests_total{${labels}}`);
    const route = 'route="/v1/agents/{agentID}/runs/{runID}"';
    expect(requests(`method="GET",${route},status="200"`)).toBe(1);
    expect(requests(`method="GET",${route},status="404"`)).toBe(1);
    expect(requests('method="POST",route="/v1/agents/{agentID}/runs",status="202"')).toBe(1);
    expect(requests('method="POST",route="/v1/agents/{agentID}/runs",status="401"')).toBe(1);
    expect(metrics.value(`agent_service_http_request_duration_seconds_count{method="GET",${route}}`)).toBe(2);
    expect(metrics.text).not.toContain(runId);
    expect(metrics.text).not.toContain(job.agentId);
  });

  it("makes no label of a path that no route has", async () => {
    for (const path of ["/stranger", "/v1/stranger/x", "/claim/stranger/x", "/v1/ci/runs/%00stranger"]) {
      await fixture.call(path);
    }
    await fixture.call("/stranger", { method: "PROPFIND" });
    const metrics = await scrape(fixture);
    expect(metrics.text).not.toMatch(/stranger|PROPFIND/);
    const none = (method: string) =>
      metrics.value(`agent_service_http_requests_total{method="${method}",route="none",status="404"}`);
    expect(none("GET")).toBeGreaterThanOrEqual(3);
    expect(none("other")).toBe(1);
  });

  it("counts exchanges by what became of them", async () => {
    const token = fixture.mint(fixture.freshRepository());
    const before = await scrape(fixture);
    await fixture.exchange(token);
    await fixture.exchange(token);
    await fixture.exchange("");
    await fixture.exchange("no token");
    await fixture.exchange(fixture.mint({ aud: "another" }));
    await fixture.call("/v1/ci/oidc/exchange", { method: "POST", raw: "{" });
    await fixture.call("/v1/ci/oidc/exchange", { method: "DELETE" });
    const after = await scrape(fixture);
    const grown = Object.fromEntries(
      [
        "ok",
        "token_replayed",
        "token_missing",
        "token_malformed",
        "audience_mismatch",
        "unsupported_media_type",
      ].map((outcome) => {
        const series = `agent_service_exchanges_total{outcome="${outcome}"}`;
        return [outcome, (after.value(series) ?? 0) - (before.value(series) ?? 0)];
      }),
    );
    expect(grown).toEqual({
      ok: 1,
      token_replayed: 1,
      token_missing: 1,
      token_malformed: 1,
      audience_mismatch: 1,
      unsupported_media_type: 1,
    });
    expect(after.text).not.toContain('outcome="credential_missing"');
  });

  it("is each service's own, and nothing of it is left in the library", async () => {
    const other = await startFixture({ level: "service" });
    try {
      const metrics = await scrape(other);
      expect(metrics.text).not.toContain("/v1/agents");
      expect(metrics.value("agent_service_run_events_appended_total")).toBe(0);
    } finally {
      await other.close();
    }
    expect(await register.metrics()).toBe("\n");
  });

  it("is nothing where the settings give it no port", async () => {
    const other = await startFixture({ level: "service", config: { metricsPort: null, backend: "noop" } });
    try {
      expect(other.metricsUrl).toBeNull();
      const { job, runId } = await other.jobWithRun();
      expect((await job.ended(runId)).status).toBe("completed");
    } finally {
      await other.close();
    }
  });
});

it("watches the process without holding it: no timer, no observer", () => {
  const before = process.getActiveResourcesInfo();
  prometheusMeter();
  expect(process.getActiveResourcesInfo()).toEqual(before);
});
