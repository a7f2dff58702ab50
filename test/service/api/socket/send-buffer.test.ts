import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { SendBuffer } from "../../../../src/service/api/socket/send-buffer.ts";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";

/** A connection that keeps what is written, and counts the writes: each would be a system call. */
class CountedConnection extends Duplex {
  writes = 0;
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take([chunk]);
    done();
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: () => void): void {
    this.#take(chunks.map(({ chunk }) => chunk));
    done();
  }

  #take(chunks: readonly Buffer[]): void {
    this.writes += 1;
    this.written.push(...chunks);
  }
}

function openSocket(connection: Duplex): Promise<WebSocket> {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.headers = {
    upgrade: "websocket",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
    "sec-websocket-version": "13",
  };
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  return new Promise((resolve) => server.handleUpgrade(request, connection, Buffer.alloc(0), resolve));
}

async function start() {
  const connection = new CountedConnection();
  const socket = await openSocket(connection);
  const sendBuffer = new SendBuffer({ socket, connection, clock: new ManualClock(), requestId: "r" });
  const before = connection.writes;
  return { connection, socket, sendBuffer, writes: () => connection.writes - before };
}

it("writes the frames of a page at once, in their order", async () => {
  const { connection, socket, sendBuffer, writes } = await start();
  for (let index = 0; index < 100; index += 1) {
    await Promise.resolve();
    sendBuffer.sendText(`{"seq":${index}}`);
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(writes()).toBe(1);
  const seqs = [
    ...Buffer.concat(connection.written)
      .toString("latin1")
      .matchAll(/"seq":(\d+)/g),
  ];
  expect(seqs.map(([, seq]) => Number(seq))).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(socket.bufferedAmount).toBe(0);
  socket.terminate();
});

it("writes the next page when it comes", async () => {
  const { socket, sendBuffer, writes } = await start();
  for (let page = 1; page <= 3; page += 1) {
    sendBuffer.sendText('{"seq":1}');
    sendBuffer.sendText('{"seq":2}');
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes()).toBe(page);
  }
  socket.terminate();
});

it("is full once too much waits to be read, and wakes who waits for room", async () => {
  const { connection, socket, sendBuffer } = await start();
  connection.cork();
  for (let index = 0; index < 3; index += 1) sendBuffer.sendText("x".repeat(100_000));
  expect(sendBuffer.isFull).toBe(true);
  const hasRoom = sendBuffer.hasRoom(new AbortController().signal);
  connection.uncork();
  expect(await hasRoom).toBe(true);
  expect(sendBuffer.isFull).toBe(false);
  socket.terminate();
});
