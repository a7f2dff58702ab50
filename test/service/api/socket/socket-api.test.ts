import { once } from "node:events";
import { get } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { refusedUpgrade, SocketClient } from "./socket-client.ts";

const WEB_URL = "https://web.example";
const CAPABILITY_SECONDS = 5;

describe("opening a socket", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({
      level: "service",
      backend: scriptedBackend(untilStopped),
      config: { webUrl: `${WEB_URL}/app`, capabilitySeconds: 900 },
    });
  });

  afterAll(async () => {
    for (const secret of fixture.secrets) expect(fixture.logText()).not.toContain(secret);
    await fixture.close();
  });

  it("is authenticated by the upgrade's header, and says until when", async () => {
    const job = await fixture.job();
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    const expiresAt = new Date(fixture.clock.now() + 900_000).toISOString();
    expect(await socket.when("ready")).toEqual({ type: "ready", expires_at: expiresAt });
    await socket.close();
  });

  it("is authenticated by its first frame", async () => {
    const { job, runId } = await fixture.jobWithRun();
    const socket = await SocketClient.open(fixture.url);
    socket.send({ type: "subscribe", id: "early", run_id: runId });
    expect(await socket.when("error")).toMatchObject({ id: "early", code: "unauthorized" });
    socket.send({ type: "auth", token: job.bearer });
    await socket.when("ready");
    socket.send({ type: "subscribe", id: "s", run_id: runId });
    expect((await socket.when("event")).event.type).toBe("RUN_STARTED");
    await socket.close();
  });

  it("refuses a header that no credential is behind, before the upgrade", async () => {
    for (const authorization of ["Bearer nonsense", "Basic eDp5", `Bearer svc_ci_${"a".repeat(50)}`]) {
      const refused = await refusedUpgrade(fixture.url, { headers: { authorization } });
      expect(refused).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    }
  });

  it("closes one whose token is refused with 4401", async () => {
    const socket = await SocketClient.open(fixture.url);
    socket.send({ type: "auth", token: "nonsense" });
    expect(await socket.when("error")).toMatchObject({ code: "unauthorized" });
    expect((await socket.closed).code).toBe(4401);
  });

  it("takes pages of its own origins only, and programs, which have none", async () => {
    const job = await fixture.job();
    const open = (origin: string) => ({ bearer: job.bearer, headers: { origin } });
    for (const origin of [new URL(fixture.url).origin, WEB_URL]) {
      const socket = await SocketClient.open(fixture.url, open(origin));
      await socket.when("ready");
      await socket.close();
    }
    for (const origin of ["https://evil.example", "null", `${WEB_URL}.evil.example`, "http://web.example"]) {
      expect(await refusedUpgrade(fixture.url, open(origin))).toMatchObject({
        status: 403,
        body: { code: "forbidden", request_id: expect.any(String) },
      });
    }
  });

  it("leaves every other upgrade to HTTP", async () => {
    const headers = { upgrade: "h2c", connection: "upgrade" };
    const [response] = await once(get(`${fixture.url}/healthz`, { headers }), "response");
    response.resume();
    expect(response.statusCode).toBe(200);
    const { status } = await fixture.call("/v1/ws");
    expect(status).toBe(426);
  });

  it("loses them when the capability is revoked, at the next frame", async () => {
    const { job, runId } = await fixture.jobWithRun();
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    socket.send({ type: "subscribe", id: "s", run_id: runId });
    await socket.when("event");
    expect((await job.call("/v1/ci/oidc/exchange", { method: "DELETE" })).status).toBe(204);
    socket.send({ type: "submit", id: "x", agent_id: job.agentId, message: "more" });
    expect(await socket.when("unsubscribed")).toMatchObject({ reason: "unauthorized", resume_after: 1 });
    expect(await socket.when("error", ({ id }) => id === "x")).toMatchObject({ code: "unauthorized" });
    await socket.close();
  });
});

function repositoryOf({ repository }: { repository: { id: string; owner_id: string; name: string } }) {
  return {
    repository: repository.name,
    repository_id: repository.id,
    repository_owner_id: repository.owner_id,
  };
}

describe("a socket, as time goes by,", () => {
  let fixture: ServiceFixture;

  beforeEach(async () => {
    fixture = await startFixture({
      level: "service",
      backend: scriptedBackend(untilStopped),
      config: { capabilitySeconds: CAPABILITY_SECONDS },
    });
  });

  afterEach(() => fixture.close());

  it("is closed with 4401 when it says nothing for 10 seconds", async () => {
    const asleep = fixture.clock.sleeping;
    const socket = await SocketClient.open(fixture.url);
    await fixture.clock.whenSleeping(asleep + 2);
    fixture.clock.advance(9_999);
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
    fixture.clock.advance(1);
    expect((await socket.closed).code).toBe(4401);
  });

  it("loses its subscriptions with its capability, and goes on with a fresh one", async () => {
    const { job, runId } = await fixture.jobWithRun();
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    socket.send({ type: "subscribe", id: "s", run_id: runId });
    await socket.when("event");
    fixture.clock.advance(CAPABILITY_SECONDS * 1000);
    expect(await socket.when("error")).toMatchObject({ code: "unauthorized" });
    expect(await socket.when("unsubscribed")).toEqual({
      type: "unsubscribed",
      subscription: "s",
      reason: "unauthorized",
      resume_after: 1,
    });
    socket.send({ type: "auth", token: (await fixture.job(repositoryOf(job.exchanged))).bearer });
    await socket.when("ready", ({ expires_at }) => Date.parse(String(expires_at)) > fixture.clock.now());
    socket.send({ type: "subscribe", id: "s", run_id: runId, after: 0 });
    await socket.when("event", ({ seq }) => seq === 1);
    await socket.close();
  });

  it("is ended when its peer answers nothing for a minute", async () => {
    await fixture.restart({ config: { capabilitySeconds: 900 } });
    const job = await fixture.job();
    const asleep = fixture.clock.sleeping;
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    await socket.when("ready");
    await fixture.clock.whenSleeping(asleep + 2);
    socket.socket.pause();
    fixture.clock.advance(30_000);
    await fixture.clock.whenSleeping(asleep + 2);
    fixture.clock.advance(30_000);
    await fixture.clock.whenAwake(asleep);
    socket.socket.resume();
    expect((await socket.closed).code).toBe(1006);
  });
});

it("tells every subscription its cursor and closes with 1012 when the service stops", async () => {
  const fixture = await startFixture({ level: "service", backend: scriptedBackend(untilStopped) });
  const { job, runId } = await fixture.jobWithRun();
  const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
  socket.send({ type: "subscribe", id: "run", run_id: runId });
  await socket.when("event");
  const { thread_id } = await job.run(runId);
  socket.send({ type: "subscribe", id: "session", session_id: thread_id });
  await socket.when("event", ({ subscription }) => subscription === "session");
  await fixture.stop();
  expect((await socket.closed).code).toBe(1012);
  expect(socket.ofType("stopping")).toEqual([
    { type: "stopping", subscription: "run", resume_after: 1 },
    { type: "stopping", subscription: "session", resume_after: { run_id: runId, seq: 1 } },
  ]);
  await fixture.close();
});
