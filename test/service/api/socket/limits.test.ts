import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { FRAMES_PER_MINUTE } from "../../../../src/contract/sessions/socket.ts";
import type { ServiceFixture, ServiceFixtureOptions } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { refusedUpgrade, SocketClient } from "./socket-client.ts";

const TOO_MANY = 4429;

describe("a socket", () => {
  let fixture: ServiceFixture;

  const start = async (config: ServiceFixtureOptions["config"] = {}) => {
    fixture = await startFixture({ level: "service", config: { backend: "noop", ...config } });
    return await fixture.job();
  };

  afterEach(() => fixture.close());

  it("is opened so many times a minute from an address, with whatever credential", async () => {
    const job = await start({ addressRatePerMinute: 2 });
    const sockets = [
      await SocketClient.open(fixture.url),
      await SocketClient.open(fixture.url, { bearer: job.bearer }),
    ];
    expect(await refusedUpgrade(fixture.url, { bearer: job.bearer })).toMatchObject({
      status: 429,
      body: { code: "rate_limited", request_id: expect.any(String) },
    });
    fixture.clock.advance(30_000);
    sockets.push(await SocketClient.open(fixture.url));
    for (const socket of sockets) await socket.close();
  });

  it("is one of so many that a repository's jobs have, until it is closed", async () => {
    const job = await start({ maxSockets: 2 });
    const other = await fixture.job();
    const open = (bearer: string) => SocketClient.open(fixture.url, { bearer });
    const [first, second] = [await open(job.bearer), await open(job.bearer)];
    expect(await refusedUpgrade(fixture.url, { bearer: job.bearer })).toMatchObject({
      status: 429,
      body: {
        code: "capacity_reached",
        error: expect.stringMatching(/^2 sockets, or streams of events, are open/),
      },
    });
    const late = await SocketClient.open(fixture.url);
    late.send({ type: "auth", token: job.bearer });
    expect(await late.when("error")).toMatchObject({ code: "capacity_reached", retry_after_seconds: 10 });
    expect((await late.closed).code).toBe(TOO_MANY);

    const elsewhere = await open(other.bearer);
    first.send({ type: "auth", token: job.bearer });
    await first.when("ready");
    await second.close();
    const again = await SocketClient.open(fixture.url);
    again.send({ type: "auth", token: job.bearer });
    await again.when("ready");
    for (const socket of [first, elsewhere, again]) await socket.close();
  });

  it("counts for whom its latest credential stands", async () => {
    const job = await start({ maxSockets: 1 });
    const other = await fixture.job();
    const moved = await SocketClient.open(fixture.url, { bearer: job.bearer });
    moved.send({ type: "auth", token: other.bearer });
    await moved.when("ready", () => moved.ofType("ready").length === 2);
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    await socket.when("ready");
    expect((await refusedUpgrade(fixture.url, { bearer: other.bearer })).status).toBe(429);
    for (const open of [moved, socket]) await open.close();
  });

  it("guesses no more credentials than its address may", async () => {
    await start({ addressRatePerMinute: 3 });
    const guess = async () => {
      const socket = await SocketClient.open(fixture.url);
      socket.send({ type: "auth", token: makeSecretToken("svc_sk_", randomBytes(32)).text });
      const [{ code }, closed] = await Promise.all([socket.when("error"), socket.closed]);
      return [code, closed.code];
    };
    const answers: unknown[] = [];
    for (let index = 0; index < 3; index += 1) answers.push(await guess());
    expect(answers).toEqual(Array.from({ length: 3 }, () => ["unauthorized", 4401]));
    expect((await refusedUpgrade(fixture.url)).status).toBe(429);
  });

  it("has each of its frames counted as a request, and stays when there were too many", async () => {
    const job = await start({ ratePerMinute: 4 });
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    for (const id of ["a", "b", "c", "d"]) socket.send({ type: "unsubscribe", id });
    expect(await socket.when("error", ({ id }) => id === "d")).toMatchObject({
      code: "rate_limited",
      retry_after_seconds: 15,
    });
    expect(socket.ofType("error").map(({ code }) => code)).toEqual([
      "not_found",
      "not_found",
      "not_found",
      "rate_limited",
    ]);
    fixture.clock.advance(15_000);
    socket.send({ type: "submit", id: "e", agent_id: job.agentId, message: "go" });
    await socket.when("submitted");
    await socket.close();
  });

  it("is read no faster than 6,000 frames a minute, and loses none", async () => {
    const job = await start();
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    await socket.when("ready");
    const sleeping = fixture.clock.sleeping;
    const excess = 10;
    for (let index = 0; index < FRAMES_PER_MINUTE + excess; index += 1) {
      socket.send({ type: "unsubscribe", id: `f${index}` });
    }
    await fixture.clock.whenSleeping(sleeping + 1);
    const last = `f${FRAMES_PER_MINUTE + excess - 1}`;
    await socket.when("error", ({ id }) => id === `f${FRAMES_PER_MINUTE - 1}`);
    expect(socket.ofType("error")).toHaveLength(FRAMES_PER_MINUTE);
    fixture.clock.advance(1_000);
    await socket.when("error", ({ id }) => id === last);
    expect(socket.ofType("error").map(({ id }) => id)).toEqual(
      Array.from({ length: FRAMES_PER_MINUTE + excess }, (_, index) => `f${index}`),
    );
    await socket.close();
  });
});
