// Long polls that wait on as many runs: how late an event reaches the one that waits for it. On the embedded store in
// one process; on PostgreSQL the polls wait on one node, and another carries the runs out.

import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "../scripts/served-process.ts";
import { startBenchService } from "./bench-service.ts";
import { quantile } from "./statistics.ts";

const AT_A_TIME = 50;
/** After a node that is overloaded. */
const AGAIN_MS = 500;
/** What the last polls are given to arrive. */
const SETTLE_MS = 1_000;

export type Listening = {
  /** The embedded store unless told. */
  readonly databaseUrl?: string;
  /** As many runs, each with one that listens. */
  readonly listeners: number;
  /** Among all of them. */
  readonly eventsPerSecond: number;
  readonly events: number;
};

export type ListeningFigures = {
  /** As they came. */
  readonly eventsPerSecond: number;
  /** From the backend's emit to the answer that holds it. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Of the process that they listen to. */
  readonly residentMb: number | null;
};

/** A service that executes so many `runs` at once, which speak when its worker gets SIGUSR2. */
export async function startSpeakers(speakers: {
  databaseUrl?: string;
  runs: number;
  eventsPerSecond: number;
}) {
  const { databaseUrl, runs, eventsPerSecond } = speakers;
  return await startBenchService({
    ...(databaseUrl === undefined ? {} : { databaseUrl, pairs: 1 }),
    worker: ["bench/polled-service.ts", String(runs), String(eventsPerSecond)],
    // Runs that only wait to speak need not say all the time that they live: on PostgreSQL a write each.
    env: { MAX_QUEUED_RUNS: String(runs * 2), STALLED_SECONDS: "3600" },
  });
}

export async function measurePollers(listening: Listening): Promise<ListeningFigures> {
  const service = await startSpeakers({ ...listening, runs: listening.listeners });
  const [{ api, client, agentId }] = service.jobs;
  const latencies = new Latencies(listening.events);
  const waiting = new Set<string>();
  const allWait = Promise.withResolvers<void>();

  const runIds: string[] = [];
  await inTurn(listening.listeners, async () => {
    const { body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
    runIds.push(JSON.parse(body).run_id);
  });
  const listen = async (runId: string) => {
    for (let after = 0; !latencies.isFull; ) {
      if (after > 1 && waiting.add(runId).size === listening.listeners) allWait.resolve();
      const { status, body } = await client.send("GET", `/v1/ci/runs/${runId}?wait=30&after=${after}`);
      // All polls arrive at once, more than a node takes: they come again, as every client of ours does.
      if (status === 503) {
        await sleep(AGAIN_MS);
        continue;
      }
      if (status !== 200) throw new Error(`A poll was answered ${status}: ${body}`);
      const page = JSON.parse(body);
      after = page.next;
      for (const { event } of page.events) latencies.take(event);
    }
  };
  // When it is over the others still wait: the service's end is theirs.
  const ended = runIds.map((runId) =>
    listen(runId).catch((cause) => {
      allWait.reject(cause);
      latencies.fail(cause);
    }),
  );
  await allWait.promise;
  await sleep(SETTLE_MS);
  process.kill(service.workers[0].pid, "SIGUSR2");
  await latencies.full;
  const figures = { ...latencies.figures(), residentMb: residentMb(api.pid) };
  await service.stop();
  await Promise.all(ended);
  return figures;
}

/** Does `work` so many times, a few at a time. */
export async function inTurn(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
}

/** How late each event of the speakers was when it came. */
export class Latencies {
  readonly #events: number;
  readonly #latencies: number[] = [];
  readonly #full = Promise.withResolvers<void>();
  #firstAt = 0;
  #lastAt = 0;

  constructor(events: number) {
    this.#events = events;
    // Whoever waits for it is told.
    this.#full.promise.catch(() => {});
  }

  get isFull(): boolean {
    return this.#latencies.length >= this.#events;
  }

  get full(): Promise<void> {
    return this.#full.promise;
  }

  /** Some of them will not come. */
  fail(cause: Error): void {
    if (!this.isFull) this.#full.reject(cause);
  }

  take(event: { type: string; delta?: string }): void {
    if (event.type !== "TEXT_MESSAGE_CONTENT") return;
    const now = performance.timeOrigin + performance.now();
    this.#latencies.push(now - Number(event.delta));
    this.#firstAt ||= now;
    this.#lastAt = now;
    if (this.isFull) this.#full.resolve();
  }

  figures(): Omit<ListeningFigures, "residentMb"> {
    return {
      eventsPerSecond: this.#latencies.length / ((this.#lastAt - this.#firstAt) / 1000),
      medianMs: quantile(this.#latencies, 0.5),
      p99Ms: quantile(this.#latencies, 0.99),
    };
  }
}
