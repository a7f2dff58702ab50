// The client's session iterator, against the real service through a proxy that cuts its connections.

import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Client, createClient, type SessionItem, SessionRefusedError } from "../../src/client/client.ts";
import { SocketClient } from "../service/api/socket/socket-client.ts";
import { makeTestKey } from "../support/account-key.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

let fixture: ServiceFixture;
let proxy: TcpProxy;
let client: Client;
let agentId: string;
let key: string;

beforeAll(async () => {
  fixture = await startFixture({
    level: "service",
    backend: scriptedBackend((task) => say(task, "one ", "two")),
  });
  await fixture.stop();
  key = (await makeTestKey(fixture.place)).secret;
  await fixture.restart();
  const url = new URL(fixture.url);
  proxy = await TcpProxy.start(url);
  proxy.standBefore(url);
  client = createClient({
    baseUrl: url.href,
    credential: () => key,
    retry: { attempts: 5, firstDelayMs: 1, maxDelayMs: 10 },
  });
  agentId = (await client.agents.create({ body: { name: "helper" } })).id;
});

afterAll(async () => {
  proxy.close();
  await fixture.close();
});

it("tells every run and event of a session once and in order, also across lost connections", async () => {
  const submit = (session_id?: string) =>
    client.runs.submit({
      agentId,
      body: { message: "go", ...(session_id === undefined ? {} : { session_id }) },
    });
  const first = await submit();
  const { sessionId } = first;
  const stop = new AbortController();
  const session = client.sessions.follow({
    sessionId,
    signal: stop.signal,
    retry: { attempts: 5, firstDelayMs: 1, maxDelayMs: 10 },
  });
  const seen: (SessionItem & { type: "event" })[] = [];
  let ended = 0;
  let second: string | null = null;
  const reading = (async () => {
    for await (const item of session) {
      if (item.type === "event") seen.push(item);
      if (item.type !== "event" || item.event.type !== "RUN_FINISHED") continue;
      ended += 1;
      if (ended === 1) {
        proxy.cut();
        proxy.mend();
        second = (await submit(sessionId)).runId;
      }
      if (ended === 2) stop.abort(new Error("enough"));
    }
  })();
  await expect(reading).rejects.toThrow("enough");
  for (const runId of [first.runId, second ?? ""]) {
    const seqs = seen.filter((item) => item.runId === runId).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 7 }, (_, index) => index + 1));
  }
  expect(session.cursor).toEqual({ run_id: second, seq: 7 });
});

it("goes on from a cursor, and says why a session is refused", async () => {
  const { sessionId, runId } = await client.runs.submit({ agentId, body: { message: "go" } });
  for await (const item of client.runs.follow({ runId })) expect(item.seq).toBeGreaterThan(0);
  for await (const item of client.sessions.follow({ sessionId, after: { run_id: runId, seq: 5 } })) {
    if (item.type !== "event") continue;
    expect(item.seq).toBe(6);
    break;
  }
  const unknown = client.sessions.follow({ sessionId: "00000000-0000-7000-8000-000000000000" });
  await expect(unknown[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(SessionRefusedError);
});

it("comes again when it was told that there were too many", async () => {
  const job = await startFixture({ level: "service", config: { backend: "noop", maxSockets: 1 } });
  const { bearer, agentId } = await job.job();
  const held = await SocketClient.open(job.url, { bearer });
  const clock = instantClock();
  const sleep = async (ms: number) => {
    clock.sleeps.push(ms);
    await held.close();
  };
  const waiting = createClient({
    baseUrl: job.url,
    credential: () => bearer,
    clock: { now: clock.now, monotonic: clock.monotonic, sleep },
    random: () => 0,
  });
  const { sessionId, runId } = await waiting.runs.submit({ agentId, body: { message: "go" } });
  for await (const item of waiting.sessions.follow({ sessionId })) {
    expect(item).toMatchObject({ type: "run", run: { id: runId } });
    break;
  }
  expect(clock.sleeps).toEqual([10_000]);
  await job.close();
});

it("takes the WebSocket that it is given, in the place of the platform's", async () => {
  const { WebSocket } = globalThis;
  const options = { baseUrl: "http://127.0.0.1:1" };
  const session = { sessionId: "s", retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 } };
  try {
    Reflect.deleteProperty(globalThis, "WebSocket");
    const opened: string[] = [];
    class Given extends WebSocket {
      constructor(url: string) {
        super(url);
        opened.push(url);
      }
    }
    const given = createClient({ ...options, webSocket: Given }).sessions.follow(session);
    await expect(given[Symbol.asyncIterator]().next()).rejects.toThrow("No socket to");
    expect(opened).toEqual(["ws://127.0.0.1:1/v1/ws"]);
  } finally {
    Object.assign(globalThis, { WebSocket });
  }
});

it("sends no credential where it has none: a server in between adds the key", async () => {
  const { sessionId, runId } = await client.runs.submit({ agentId, body: { message: "go" } });
  const server = await serveWithKey(fixture.url, key);
  try {
    const { port } = server.address() as AddressInfo;
    const page = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    for await (const item of page.sessions.follow({ sessionId })) {
      if (item.type !== "run" || item.run.status !== "completed") continue;
      expect(item.run.id).toBe(runId);
      break;
    }
  } finally {
    server.close();
  }
});

/** Passes WebSockets on to the service, each with the key that the page does not have. */
async function serveWithKey(url: string, secret: string): Promise<Server> {
  const server = createServer();
  server.on("upgrade", (incoming, socket) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${secret}` };
    const passed = request(new URL(incoming.url ?? "/", url), { headers });
    passed.on("upgrade", (answer, upstream) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      socket.pipe(upstream).pipe(socket);
    });
    passed.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
