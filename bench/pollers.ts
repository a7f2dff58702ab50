// Thousands of long polls that wait on as many runs: how late an event reaches the one that waits for it.

import { setTimeout as sleep } from "node:timers/promises";
import { residentMb, startBenchService } from "./served-process.ts";
import { quantile } from "./statistics.ts";

const RUNS = 5_000;
const EVENTS_A_SECOND = 200;
const EVENTS = 3_000;
const AT_A_TIME = 50;
/** What the last polls are given to arrive. */
const SETTLE_MS = 1_000;

export type PollerFigures = {
  readonly waiting: number;
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly residentMb: number | null;
};

export async function measurePollers(): Promise<PollerFigures> {
  const service = await startBenchService({
    args: ["bench/polled-service.ts", String(RUNS), String(EVENTS_A_SECOND)],
    env: { MAX_QUEUED_RUNS: String(RUNS * 2) },
  });
  const { client, agentId } = service;
  const latencies: number[] = [];
  let firstAt = 0;
  let lastAt = 0;
  let isOver = false;
  const waiting = new Set<string>();
  const allWait = Promise.withResolvers<void>();

  const runIds: string[] = [];
  let left = RUNS;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left > 0) {
        left -= 1;
        const { body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
        runIds.push(JSON.parse(body).run_id);
      }
    }),
  );

  const listen = async (runId: string) => {
    for (let after = 0; !isOver; ) {
      if (after > 0 && waiting.add(runId).size === RUNS) allWait.resolve();
      const { body } = await client.send("GET", `/v1/ci/runs/${runId}?wait=30&after=${after}`);
      const now = performance.timeOrigin + performance.now();
      const page = JSON.parse(body);
      after = page.next;
      for (const { event } of page.events) {
        if (event.type !== "TEXT_MESSAGE_CONTENT") continue;
        latencies.push(now - Number(event.delta));
        firstAt ||= now;
        lastAt = now;
      }
      if (latencies.length >= EVENTS) isOver = true;
    }
  };
  // When it is over the others still wait: the service's end is theirs.
  const listening = runIds.map((runId) => listen(runId).catch(() => {}));
  await allWait.promise;
  await sleep(SETTLE_MS);
  process.kill(service.pid, "SIGUSR2");
  await Promise.race(listening);
  const resident = residentMb(service.pid);
  await service.stop();
  await Promise.all(listening);

  return {
    waiting: RUNS,
    eventsPerSecond: latencies.length / ((lastAt - firstAt) / 1000),
    medianMs: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    residentMb: resident,
  };
}
