// What those who wait cost: polls and sockets, all of one run, so that the run itself weighs nothing; and what a node
// spends on events of other nodes that nobody at it waits for.

import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs, residentMb } from "../../scripts/served-process.ts";
import { Latencies, startSpeakers } from "../pollers.ts";
import { measureWatchers } from "../watchers.ts";
import type { MeasuredStore } from "./meter.ts";

/** Memory is the difference between the two: what the first ones warm up is in both. More would be refused: `MAX_NODE_REQUESTS`. */
const SOME = 500;
const MANY = 1_900;
const EVENTS = 5;
const SETTLE_MS = 1_500;
const SIGNALS = { runs: 50, eventsPerSecond: 300, ms: 5_000 };
const MIB = 1024 * 1024;

export type PollCosts = {
  readonly nodeCpuMs: number;
  readonly databaseCpuMs: number;
  readonly bytes: number;
};

/** Polls that wait: what each one occupies, and costs once an event wakes it and its reader asks again. */
export async function measurePollCosts(store: MeasuredStore): Promise<PollCosts> {
  const service = await startSpeakers({ ...store, runs: 1, eventsPerSecond: 1 });
  const [{ api, client, agentId }] = service.jobs;
  const { body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
  const path = `/v1/ci/runs/${JSON.parse(body).run_id}?wait=30&after=`;
  const latencies = new Latencies(MANY * EVENTS);
  const follow = async () => {
    for (let after = 0; !latencies.isFull; ) {
      const { status, body: text } = await client.send("GET", `${path}${after}`);
      if (status !== 200) throw new Error(`The poll was answered ${status}: ${text}`);
      const page = JSON.parse(text);
      after = page.next;
      for (const { event } of page.events) latencies.take(event);
    }
  };
  const readers: Promise<void>[] = [];
  const residentWith = async (count: number) => {
    while (readers.length < count) {
      readers.push(follow().catch((cause) => latencies.fail(cause)));
      // Not all connections at once: they would wait for one another.
      if (readers.length % 50 === 0) await sleep(20);
    }
    await sleep(SETTLE_MS);
    return (residentMb(api.pid) ?? 0) * MIB;
  };
  const [some, many] = [await residentWith(SOME), await residentWith(MANY)];
  const [node, database] = [cpuMs(api.pid), await store.probe.now()];
  process.kill(service.workers[0].pid, "SIGUSR2");
  await latencies.full;
  const [nodeAfter, databaseAfter] = [cpuMs(api.pid), await store.probe.now()];
  await service.stop();
  await Promise.all(readers);
  const answers = MANY * EVENTS;
  return {
    nodeCpuMs: ((nodeAfter ?? 0) - (node ?? 0)) / answers,
    databaseCpuMs: (databaseAfter.cpuMs - database.cpuMs) / answers,
    bytes: Math.max(0, many - some) / (MANY - SOME),
  };
}

export type SocketCosts = {
  readonly deliveryCpuMs: number;
  readonly openCpuMs: number;
  readonly bytes: number;
};

export async function measureSocketCosts(store: MeasuredStore): Promise<SocketCosts> {
  const speaking = { ...store, eventsPerSecond: 1, events: EVENTS };
  const some = await measureWatchers({ ...speaking, listeners: SOME });
  const many = await measureWatchers({ ...speaking, listeners: MANY });
  const bytes = ((many.kbPerSocket ?? 0) * MANY - (some.kbPerSocket ?? 0) * SOME) * 1024;
  return {
    deliveryCpuMs: (many.cpuMicrosecondsPerDelivery ?? 0) / 1000,
    openCpuMs: many.cpuMsPerOpening ?? 0,
    bytes: Math.max(0, bytes) / (MANY - SOME),
  };
}

/** CPU of an API node for each event of runs that nobody follows there. */
export async function measureSignalCost(databaseUrl: string): Promise<number> {
  const { runs, eventsPerSecond, ms } = SIGNALS;
  const service = await startSpeakers({ databaseUrl, runs, eventsPerSecond });
  const [{ api, client, agentId }] = service.jobs;
  for (let run = 0; run < runs; run += 1) {
    await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
  }
  await sleep(SETTLE_MS);
  process.kill(service.workers[0].pid, "SIGUSR2");
  await sleep(SETTLE_MS);
  const before = cpuMs(api.pid) ?? 0;
  await sleep(ms);
  const after = cpuMs(api.pid) ?? 0;
  await service.stop();
  return (after - before) / ((eventsPerSecond * ms) / 1000);
}
