// A node that has as much to do as it takes: it refuses at once what is beyond, and goes on with the rest.

import { afterEach, expect, it } from "vitest";
import type { BackendTask } from "../../../../src/service/executor/backend.ts";
import type { ServiceFixture, ServiceFixtureOptions } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scrape } from "../../../support/metrics.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { refusedUpgrade, SocketClient } from "../socket/socket-client.ts";

const overloaded = (error: RegExp) => ({
  status: 503,
  body: { code: "overloaded", error: expect.stringMatching(error) },
});

let fixture: ServiceFixture;
let speak: PromiseWithResolvers<void>;

const start = async (loadLimits: Partial<{ requests: number; polls: number; sockets: number }>) => {
  speak = Promise.withResolvers();
  const backend = scriptedBackend(async (task: BackendTask) => {
    await speak.promise;
    await say(task, "At last.");
  });
  const config: ServiceFixtureOptions["config"] = {
    loadLimits: { requests: 100, polls: 100, sockets: 100, ...loadLimits },
  };
  fixture = await startFixture({ level: "service", backend, config });
};

afterEach(() => fixture.close());

it("refuses a poll beyond those that wait, and wakes those", async () => {
  await start({ polls: 1 });
  const { job, runId } = await fixture.jobWithRun();
  const opening = await job.page(runId, { wait: 30 });
  const path = `/v1/ci/runs/${runId}?after=${opening.next}&wait=30`;
  const first = fixture.call(path, { bearer: job.bearer });
  await expect.poll(async () => (await scrape(fixture)).text).toMatch(/polls_waiting 1\n/);
  const second = await fixture.call(path, { bearer: job.bearer });
  expect(second).toMatchObject(overloaded(/^This node has 1 requests that wait for an event/));
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  // What does not wait is answered.
  expect((await fixture.call(`/v1/ci/runs/${runId}`, { bearer: job.bearer })).status).toBe(200);
  speak.resolve();
  expect((await first).status).toBe(200);
});

it("counts a waiting request as no work, and answers probes always", async () => {
  await start({ requests: 1 });
  const { job, runId } = await fixture.jobWithRun();
  const opening = await job.page(runId, { wait: 30 });
  const waiting = fixture.call(`/v1/ci/runs/${runId}?after=${opening.next}&wait=30`, { bearer: job.bearer });
  await expect.poll(async () => (await scrape(fixture)).text).toMatch(/polls_waiting 1\n/);
  expect((await fixture.call("/readyz")).status).toBe(200);
  const both = await Promise.all([1, 2].map(() => fixture.exchange(fixture.mint(fixture.freshRepository()))));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
  expect(both.find(({ status }) => status === 503)).toMatchObject(overloaded(/1 requests at work/));
  speak.resolve();
  expect((await waiting).status).toBe(200);
  expect((await job.run(runId)).id).toBe(runId);
});

it("refuses a socket beyond those that are open", async () => {
  await start({ sockets: 1 });
  const job = await fixture.job();
  const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
  expect(await refusedUpgrade(fixture.url, { bearer: job.bearer })).toMatchObject(
    overloaded(/1 open sockets/),
  );
  await socket.close();
  await expect.poll(async () => (await scrape(fixture)).text).toMatch(/sockets_open 0\n/);
  const next = await SocketClient.open(fixture.url, { bearer: job.bearer });
  await next.close();
});

it("shows how late its event loop is", async () => {
  await start({});
  const { body } = await fixture.call("/readyz");
  expect(body).toEqual({ status: "ok", event_loop_delay_ms: expect.any(Number) });
  expect((await scrape(fixture)).text).toMatch(/agent_service_event_loop_delay_seconds [\d.e-]+\n/);
});
