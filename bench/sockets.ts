// Sockets, each subscribed to a run of its own: how late an event reaches the one that is subscribed. On PostgreSQL
// the sockets are on one node, and another carries the runs out.

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { residentMb } from "../scripts/served-process.ts";
import { inTurn, Latencies, type Listening, type ListeningFigures, startSpeakers } from "./pollers.ts";

/** What the last subscriptions are given to settle. */
const SETTLE_MS = 1_000;

/** As `measurePollers`: from the backend's emit to the frame at its socket. */
export async function measureSockets(listening: Listening): Promise<ListeningFigures> {
  const service = await startSpeakers(listening);
  const [{ api, client, agentId, bearer }] = service.jobs;
  const latencies = new Latencies(listening.events);
  const sockets: WebSocket[] = [];

  const take = (text: string, onSpeaking: () => void) => {
    const frame = JSON.parse(text);
    if (frame.type !== "event") return;
    if (frame.event.type === "TEXT_MESSAGE_START") onSpeaking();
    latencies.take(frame.event);
  };

  // Each is done once the run speaks, and its socket hears it.
  await inTurn(listening.listeners, async () => {
    const { body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
    const socket = new WebSocket(`${api.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${bearer}` },
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
  });
  await sleep(SETTLE_MS);
  process.kill(service.workers[0].pid, "SIGUSR2");
  await latencies.full;
  const figures = { ...latencies.figures(), residentMb: residentMb(api.pid) };
  for (const socket of sockets) socket.terminate();
  await service.stop();
  return figures;
}
