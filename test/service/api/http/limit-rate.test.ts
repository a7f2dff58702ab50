import { afterEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { CoreFixtureOptions } from "../../../support/fixtures/core-fixture.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, openCaller } from "../../../support/service-account.ts";
import type { Answer } from "../../../support/service-client.ts";

const PUBLIC = [
  "/v1/pricing/models",
  "/v1/pricing/tools",
  "/v1/ci/oidc/audience",
  "/v1/ws",
  "/docs",
  "/openapi.json",
];
const PAGES = ["/", "/sign-in", "/claim/nonsense", "/confirm/nonsense", "/device"];

function expectLimited(answer: Answer, seconds: number): void {
  expect(answer.status).toBe(429);
  expect(problemSchema.parse(answer.body)).toMatchObject({
    code: "rate_limited",
    error: expect.stringMatching(/^Too many requests from this (address|caller)\./),
  });
  expect(answer.headers.get("retry-after")).toBe(String(seconds));
}

describe("how often may be asked", () => {
  let end = async () => {};

  afterEach(() => end());

  const open = async (options: CoreFixtureOptions) => {
    const fixture = await startFixture({ level: "core", ...options });
    const api = await openCaller(fixture);
    end = () => api.close();
    return { fixture, api };
  };

  it.each(PUBLIC)("%s, by an address", async (path) => {
    const { fixture, api } = await open({ addressRatePerMinute: 1 });
    expect((await api.send(path)).status).not.toBe(429);
    expectLimited(await api.send(path), 60);
    fixture.clock.advance(60_000);
    expect((await api.send(path)).status).not.toBe(429);
  });

  it.each(PAGES)("%s, by an address, as a page", async (path) => {
    const { fixture, api } = await open({ addressRatePerMinute: 1 });
    expect((await api.send(path)).status).not.toBe(429);
    const limited = await api.send(path);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(limited.headers.get("content-type")).toContain("text/html");
    expect(limited.text).toContain("Too many requests from this address.");
    fixture.clock.advance(60_000);
    expect((await api.send(path)).status).not.toBe(429);
  });

  it("public routes, together, whatever credential is sent along", async () => {
    const { fixture, api } = await open({ addressRatePerMinute: 2 });
    const { owner } = await makeAccount(fixture);
    expect((await api.send("/docs")).status).toBe(200);
    expect((await api.send("/v1/pricing/models", { bearer: owner })).status).toBe(200);
    expectLimited(await api.send("/v1/pricing/tools", { bearer: owner }), 30);
    expect((await api.send("/v1/agents", { bearer: owner })).status).toBe(200);
  });

  it("whether the service lives: without an end", async () => {
    const { api } = await open({ addressRatePerMinute: 1 });
    for (const path of ["/healthz", "/readyz"]) {
      for (let index = 0; index < 5; index += 1) expect((await api.send(path)).status).not.toBe(429);
    }
  });

  it("by a stranger, who is in the way of nobody with a credential", async () => {
    const { fixture, api } = await open({ addressRatePerMinute: 2 });
    const { owner } = await makeAccount(fixture);
    expect((await api.send("/v1/agents")).status).toBe(401);
    expect((await api.send("/v1/agents", { bearer: "nonsense" })).status).toBe(401);
    expectLimited(await api.send("/v1/agents"), 30);
    expect((await api.send("/v1/agents", { bearer: owner })).status).toBe(200);
  });

  it("by an account on every route, and by another account in the meantime", async () => {
    const { fixture, api } = await open({ ratePerMinute: 3 });
    const mine = await makeAccount(fixture);
    const theirs = await makeAccount(fixture);
    const agent = `/v1/agents/${mine.agent.id}`;
    for (const path of ["/v1/agents", agent, `${agent}/runs`]) {
      expect((await api.send(path, { bearer: mine.owner })).status).toBe(200);
    }
    const submission = { method: "POST", bearer: mine.owner, json: { message: "go" } };
    expectLimited(await api.send(`${agent}/runs`, submission), 20);
    expectLimited(await api.send(`/v1/users/${mine.id}/credits`, { bearer: mine.aiClient }), 20);
    expect((await api.send("/v1/agents", { bearer: theirs.owner })).status).toBe(200);
    expect(await fixture.place.query("select id from runs")).toEqual([]);
  });
});

describe("how often a job may ask", () => {
  let fixture: ServiceFixture;

  afterEach(() => fixture.close());

  it("counts all jobs of its repository, and no other's", async () => {
    fixture = await startFixture({ level: "service", config: { ratePerMinute: 4 } });
    const claims = fixture.freshRepository();
    const [first, second, other] = [
      await fixture.job(claims),
      await fixture.job(claims),
      await fixture.job(),
    ];
    for (const job of [first, second, first, second]) expect((await job.call(job.runsPath)).status).toBe(200);
    expectLimited(await first.call(first.runsPath), 15);
    expectLimited(await second.call("/v1/ci/oidc/exchange", { method: "DELETE" }), 15);
    expect((await other.call(other.runsPath)).status).toBe(200);
  });

  it("takes nothing for a poll that an event woke", async () => {
    const steps = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
    const backend = scriptedBackend(async (task) => {
      for (const step of steps) {
        await step.promise;
        await say(task, "word");
      }
    });
    fixture = await startFixture({ level: "service", backend, config: { ratePerMinute: 6 } });
    const job = await fixture.job();
    const runId = await job.start();
    let after = (await job.page(runId, { wait: 30 })).next;
    for (const step of steps) {
      const sleeping = fixture.clock.sleeping;
      const waiting = job.page(runId, { after, wait: 30 });
      await fixture.clock.whenSleeping(sleeping + 1);
      step.resolve();
      ({ next: after } = await waiting);
      fixture.clock.advance(1_000);
    }
    expect(after).toBeGreaterThan(20);
  });

  it("counts an IPv6 subscriber as one, behind the operator's proxy", async () => {
    fixture = await startFixture({
      level: "service",
      config: { addressRatePerMinute: 2, trustedProxyHops: 1 },
    });
    const from = async (address: string) =>
      (await fixture.call("/v1/pricing/models", { headers: { "x-forwarded-for": `192.0.2.1, ${address}` } }))
        .status;
    expect(await from("2001:db8:0:1::1")).toBe(200);
    expect(await from("2001:db8:0:1:ffff::2")).toBe(200);
    expect(await from("2001:db8:0:1:8000::3")).toBe(429);
    expect(await from("2001:db8:0:2::1")).toBe(200);
  });
});
