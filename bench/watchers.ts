// Many sockets subscribed to the same run: what a node spends on each event for each of them, and on each socket. On
// PostgreSQL the sockets are on one node, and another executes the run.

import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { cpuMs, residentMb } from "../scripts/served-process.ts";
import { inTurn, Latencies, type Listening, startSpeakers } from "./pollers.ts";
import { openSocket } from "./sockets.ts";

/** What the last subscriptions are given to settle. */
const SETTLE_MS = 1_000;

export type WatcherFigures = {
  /** From the first socket's request to the last subscription that hears the run. */
  readonly openMs: number;
  /** From the backend's emit to the frame at each socket. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly deliveriesPerSecond: number;
  /** Of the sockets' node. Null where the system does not tell. */
  readonly cpuMicrosecondsPerDelivery: number | null;
  readonly cpuMsPerOpening: number | null;
  readonly kbPerSocket: number | null;
};

/** `events` are of the run: each is delivered to all `listeners`. */
export async function measureWatchers(listening: Listening): Promise<WatcherFigures> {
  const { listeners, events } = listening;
  const service = await startSpeakers({ ...listening, runs: 1 });
  const [job] = service.jobs;
  const { pid } = job.api;
  const latencies = new Latencies(listeners * events);
  const sockets: WebSocket[] = [];

  const { body } = await job.client.send("POST", `/v1/agents/${job.agentId}/runs`, { message: "Speak" });
  const runId: string = JSON.parse(body).run_id;
  const before = { at: performance.now(), cpu: cpuMs(pid), mb: residentMb(pid) };
  await inTurn(listeners, async () => {
    sockets.push(await openSocket({ job, runId, latencies }));
  });
  const open = { at: performance.now(), cpu: cpuMs(pid), mb: residentMb(pid) };
  await sleep(SETTLE_MS);
  const idle = cpuMs(pid);
  process.kill(service.workers[0].pid, "SIGUSR2");
  await latencies.full;
  const spoken = cpuMs(pid);
  const { medianMs, p99Ms, eventsPerSecond } = latencies.figures();
  for (const socket of sockets) socket.terminate();
  await service.stop();
  const share = (from: number | null, to: number | null, parts: number) =>
    from === null || to === null ? null : (to - from) / parts;
  return {
    openMs: open.at - before.at,
    medianMs,
    p99Ms,
    deliveriesPerSecond: eventsPerSecond,
    cpuMicrosecondsPerDelivery: share(idle, spoken, (listeners * events) / 1000),
    cpuMsPerOpening: share(before.cpu, open.cpu, listeners),
    kbPerSocket: share(before.mb, open.mb, listeners / 1024),
  };
}
