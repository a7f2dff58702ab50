// Sockets, each subscribed to a run of its own: how late an event reaches the one that is subscribed. On PostgreSQL
// the sockets are on one node, and another executes the runs.

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { residentMb } from "../scripts/served-process.ts";
import type { Job } from "./bench-service.ts";
import { inTurn, Latencies, type Listening, type ListeningFigures, startSpeakers } from "./pollers.ts";

/** What the last subscriptions are given to settle. */
const SETTLE_MS = 1_000;

/** As `measurePollers`: from the backend's emit to the frame at its socket. */
export async function measureSockets(listening: Listening): Promise<ListeningFigures> {
  const service = await startSpeakers({ ...listening, runs: listening.listeners });
  const [job] = service.jobs;
  const latencies = new Latencies(listening.events);
  const sockets: WebSocket[] = [];

  await inTurn(listening.listeners, async () => {
    const { body } = await job.client.send("POST", `/v1/agents/${job.agentId}/runs`, { message: "Speak" });
    sockets.push(await openSocket({ job, runId: JSON.parse(body).run_id, latencies }));
  });
  await sleep(SETTLE_MS);
  process.kill(service.workers[0].pid, "SIGUSR2");
  await latencies.full;
  const figures = { ...latencies.figures(), residentMb: residentMb(job.api.pid) };
  for (const socket of sockets) socket.terminate();
  await service.stop();
  return figures;
}

/**
 * A socket whose subscription has received the run's first message: the run speaks, and the socket hears it. From then
 * on its events are `latencies`'. A refusal or a close before they are full fails the measurement.
 */
export async function openSocket(options: {
  job: Job;
  runId: string;
  latencies: Latencies;
}): Promise<WebSocket> {
  const { job, runId, latencies } = options;
  const socket = new WebSocket(`${job.api.url.replace("http", "ws")}/v1/ws`, {
    headers: { authorization: `Bearer ${job.bearer}` },
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => {
      const cause = new Error(why);
      latencies.fail(cause);
      reject(cause);
    };
    socket.on("error", ({ message }) => fail(`A socket failed: ${message}`));
    socket.on("close", (code) => fail(`A socket was closed with ${code}.`));
    socket.once("open", () => {
      socket.send(JSON.stringify({ type: "subscribe", id: "s", run_id: runId }));
    });
    socket.on("message", (data) => {
      const text = data.toString();
      const frame = JSON.parse(text);
      if (frame.type === "error" || frame.type === "slow") fail(`A socket received ${text}`);
      if (frame.type !== "event") return;
      if (frame.event.type === "TEXT_MESSAGE_START") resolve();
      latencies.take(frame.event);
    });
  });
  return socket;
}
