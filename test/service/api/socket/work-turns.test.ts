import { afterEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { WorkTurns } from "../../../../src/service/api/socket/work-turns.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { SocketClient } from "./socket-client.ts";

const SOCKETS = 60;
const WORDS = 200;

afterEach(() => vi.restoreAllMocks());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("does so much work in a turn of the event loop, and the rest in the next ones, in order", async () => {
  const turns = new WorkTurns(10);
  const done: number[] = [];
  for (let index = 0; index < 25; index += 1) void turns.take(2).then(() => done.push(index));
  await Promise.resolve();
  expect(done).toEqual([0, 1, 2, 3, 4]);
  await nextTurn();
  expect(done).toHaveLength(10);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(done).toEqual(Array.from({ length: 25 }, (_, index) => index));
});

it("lets work through that is more than a turn's", async () => {
  const turns = new WorkTurns(10);
  await turns.take(100);
  await turns.take(100);
  await turns.take(1);
});

it("sockets that are all behind leave the event loop to others between few events", async () => {
  const backend = scriptedBackend((task) =>
    say(task, ...Array.from({ length: WORDS }, (_, index) => `word ${index}`)),
  );
  const fixture = await startFixture({ level: "service", backend });
  const { job, runId } = await fixture.jobWithRun();
  const total = (await job.follow(runId)).length;
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => SocketClient.open(fixture.url, { bearer: job.bearer })),
  );
  let sent = 0;
  const send = WebSocket.prototype.send;
  vi.spyOn(WebSocket.prototype, "send").mockImplementation(function (this: WebSocket, ...args: unknown[]) {
    sent += 1;
    return Reflect.apply(send, this, args);
  });
  let most = 0;
  let isOver = false;
  const watched = (async () => {
    while (!isOver) {
      sent = 0;
      await nextTurn();
      most = Math.max(most, sent);
    }
  })();
  for (const socket of sockets) socket.send({ type: "subscribe", id: "s", run_id: runId });
  await Promise.all(sockets.map((socket) => socket.when("unsubscribed")));
  isOver = true;
  await watched;
  for (const socket of sockets) {
    expect(socket.events("s").map(({ seq }) => seq)).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    );
  }
  // 256 events, the rest of a page, and the few frames around them.
  expect(most).toBeLessThan(256 + 100 + 3 * SOCKETS);
  for (const socket of sockets) await socket.close();
  await fixture.close();
});
