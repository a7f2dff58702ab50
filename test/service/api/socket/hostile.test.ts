import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { SocketClient } from "./socket-client.ts";

const BIG = "b".repeat(100_000);

describe("frames of a hostile or careless peer", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", backend: scriptedBackend(untilStopped) });
  });

  afterAll(() => fixture.close());

  const open = async () => {
    const { job, runId } = await fixture.jobWithRun();
    const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
    return { job, runId, socket };
  };

  it("are answered with an error each, and the socket stays", async () => {
    const { socket, runId, job } = await open();
    const frames: unknown[] = [
      null,
      7,
      "text",
      [],
      {},
      { type: "dance", id: "unknown" },
      { type: ["auth"] },
      { type: "subscribe", id: "neither" },
      { type: "subscribe", id: "both", run_id: runId, session_id: runId },
      { type: "subscribe", id: "cursor", run_id: runId, after: { run_id: runId, seq: 1 } },
      { type: "subscribe", id: "negative", run_id: runId, after: -1 },
      { type: "subscribe", id: "fraction", run_id: runId, after: 0.5 },
      { type: "subscribe", id: "", run_id: runId },
      { type: "subscribe", id: "n".repeat(65), run_id: runId },
      { type: "subscribe", id: "nul", run_id: "\0" },
      { type: "subscribe", id: "nobody's", run_id: "no-such-run" },
      { type: "subscribe", id: "no session", session_id: "no-such-session" },
      { type: "unsubscribe", id: "never" },
      { type: "submit", id: "empty", agent_id: job.agentId },
      { type: "submit", id: "stranger", agent_id: "00000000-0000-4000-8000-000000000000", message: "x" },
      { type: "cancel", id: "no run", agent_id: job.agentId, run_id: "no-such-run" },
    ];
    for (const frame of frames) socket.send(frame);
    socket.socket.send("{");
    socket.socket.send("");
    socket.send({ type: "subscribe", id: "last", run_id: runId });
    await socket.when("subscribed");
    const errors = socket.ofType("error");
    expect(errors).toHaveLength(frames.length + 2);
    expect(errors.slice(0, 5).map(({ id, code }) => [id, code])).toEqual(
      Array.from({ length: 5 }, () => [undefined, "invalid_request"]),
    );
    const codeOf = (id: string) => errors.find((error) => error.id === id)?.code;
    for (const id of ["unknown", "neither", "both", "cursor", "negative", "fraction", "nul", "empty"]) {
      expect([id, codeOf(id)]).toEqual([id, "invalid_request"]);
    }
    for (const id of ["nobody's", "no session", "never", "stranger", "no run"]) {
      expect([id, codeOf(id)]).toEqual([id, "not_found"]);
    }
    await socket.close();
  });

  it("reach no run, session or agent of another", async () => {
    const theirs = await fixture.jobWithRun();
    const { thread_id } = await theirs.job.run(theirs.runId);
    const { socket } = await open();
    socket.send({ type: "subscribe", id: "run", run_id: theirs.runId });
    socket.send({ type: "subscribe", id: "session", session_id: thread_id });
    socket.send({ type: "submit", id: "submit", agent_id: theirs.job.agentId, message: "x" });
    socket.send({ type: "cancel", id: "cancel", agent_id: theirs.job.agentId, run_id: theirs.runId });
    await socket.when("error", ({ id }) => id === "cancel");
    expect(socket.ofType("error").map(({ id, code }) => [id, code])).toEqual(
      ["run", "session", "submit", "cancel"].map((id) => [id, "forbidden"]),
    );
    expect(socket.frames.filter(({ type }) => type === "event" || type === "subscribed")).toEqual([]);
    await socket.close();
  });

  it("may open 64 subscriptions, each name once", async () => {
    const { socket, runId } = await open();
    for (let index = 0; index < 65; index += 1) {
      socket.send({ type: "subscribe", id: `s${index}`, run_id: runId });
    }
    expect(await socket.when("error")).toMatchObject({ id: "s64", code: "capacity_reached" });
    expect(socket.ofType("subscribed")).toHaveLength(64);
    socket.send({ type: "subscribe", id: "s0", run_id: runId });
    expect(await socket.when("error", ({ id }) => id === "s0")).toMatchObject({ code: "invalid_request" });
    socket.send({ type: "unsubscribe", id: "s0" });
    socket.send({ type: "subscribe", id: "s64", run_id: runId });
    await socket.when("subscribed", ({ subscription }) => subscription === "s64");
    await socket.close();
  });

  it("close the socket when they are binary, too large or not UTF-8", async () => {
    const binary = (await open()).socket;
    binary.socket.send(Buffer.from('{"type":"auth"}'));
    expect((await binary.closed).code).toBe(1003);
    const large = (await open()).socket;
    large.send({ type: "auth", token: "a".repeat(1024 * 1024) });
    expect((await large.closed).code).toBe(1009);
    const garbled = (await open()).socket;
    garbled.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await garbled.closed).code).toBe(1007);
  });

  it("are not read faster than their answers are", async () => {
    const { socket } = await open();
    const junk = JSON.stringify({ type: "unsubscribe", id: "j" });
    for (let index = 0; index < 5_000; index += 1) socket.socket.send(junk);
    socket.send({ type: "unsubscribe", id: "last" });
    await socket.when("error", ({ id }) => id === "last");
    expect(socket.ofType("error")).toHaveLength(5_001);
    await socket.close();
  });
});

it("ends a subscription that is not read for 30 seconds, which goes on from its cursor", async () => {
  const backend = scriptedBackend((task) =>
    say(task, ...Array.from({ length: 300 }, (_, index) => `${index} ${BIG}`)),
  );
  const fixture = await startFixture({ level: "service", backend });
  const { job, runId } = await fixture.jobWithRun();
  const total = (await job.follow(runId)).length;
  const socket = await SocketClient.open(fixture.url, { bearer: job.bearer });
  await socket.when("ready");
  socket.socket.pause();
  socket.send({ type: "subscribe", id: "s", run_id: runId });
  while (!fixture.logText().includes("waiting for a slow reader"))
    await new Promise((go) => setImmediate(go));
  fixture.clock.advance(30_000);
  socket.socket.resume();
  const slow = await socket.when("slow");
  const read = socket.events("s").length;
  expect(slow).toEqual({ type: "slow", subscription: "s", resume_after: read });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(total);
  socket.send({ type: "subscribe", id: "s", run_id: runId, after: read });
  await socket.when("unsubscribed");
  expect(socket.events("s").map(({ seq }) => seq)).toEqual(
    Array.from({ length: total }, (_, index) => index + 1),
  );
  await socket.close();
  await fixture.close();
});
