// Thousands of sockets, each subscribed to a run of its own: how late an event reaches the one that is subscribed.

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { residentMb, startBenchService } from "./served-process.ts";
import { quantile } from "./statistics.ts";

const SOCKETS = 5_000;
const EVENTS_A_SECOND = 200;
const EVENTS = 3_000;
const AT_A_TIME = 50;
/** What the last subscriptions are given to settle. */
const SETTLE_MS = 1_000;

export type SocketFigures = {
  readonly subscribed: number;
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly residentMb: number | null;
};

/** p50 and p99 from the backend's emit to the frame at its socket. */
export async function measureSockets(): Promise<SocketFigures> {
  const service = await startBenchService({
    args: ["bench/polled-service.ts", String(SOCKETS), String(EVENTS_A_SECOND)],
    env: { MAX_QUEUED_RUNS: String(SOCKETS * 2) },
  });
  const { client, agentId } = service;
  const latencies: number[] = [];
  const sockets: WebSocket[] = [];
  let firstAt = 0;
  let lastAt = 0;
  const isOver = Promise.withResolvers<void>();

  const take = (text: string, onSpeaking: () => void) => {
    const now = performance.timeOrigin + performance.now();
    const frame = JSON.parse(text);
    if (frame.type !== "event") return;
    if (frame.event.type === "TEXT_MESSAGE_START") onSpeaking();
    if (frame.event.type !== "TEXT_MESSAGE_CONTENT") return;
    latencies.push(now - Number(frame.event.delta));
    firstAt ||= now;
    lastAt = now;
    if (latencies.length >= EVENTS) isOver.resolve();
  };

  /** Resolves once the run speaks, and its socket hears it. */
  const listen = async () => {
    const { body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
    const socket = new WebSocket(`${service.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${service.bearer}` },
      perMessageDeflate: false,
    });
    sockets.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("open", () => {
        socket.send(JSON.stringify({ type: "subscribe", id: "s", run_id: JSON.parse(body).run_id }));
      });
      socket.on("message", (data) => take(data.toString(), resolve));
    });
  };

  let left = SOCKETS;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (; left > 0; ) {
        left -= 1;
        await listen();
      }
    }),
  );
  await sleep(SETTLE_MS);
  process.kill(service.pid, "SIGUSR2");
  await isOver.promise;
  const resident = residentMb(service.pid);
  for (const socket of sockets) socket.terminate();
  await service.stop();

  return {
    subscribed: SOCKETS,
    eventsPerSecond: latencies.length / ((lastAt - firstAt) / 1000),
    medianMs: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    residentMb: resident,
  };
}
