// What a queue on PostgreSQL takes by itself: pg-boss with its best settings, LISTEN/NOTIFY where that is faster. Its
// jobs do nothing, and nothing is stored but them. The floor beside the service on PostgreSQL.

import { setTimeout as sleep } from "node:timers/promises";
import { type Job, PgBoss } from "pg-boss";
import { opened } from "../scripts/opened.ts";
import type { Schema } from "./postgres-schema.ts";
import { median, quantile } from "./statistics.ts";

const SERIAL = 300;
const IN_FLIGHT = 32;
const SENDERS = 16;
const INSERTERS = 4;
const JOBS_AN_INSERT = 500;
const MS = 3_000;
/** Between two looks of the loop that fetches. */
const LOOK_MS = 1;
/** What a worker is given until it listens. */
const SETTLE_MS = 1_000;
/** The shortest there is. */
const POLLING = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };

type Work = { readonly key: string };

/** A pg-boss in the schema, for as long as `measure` takes. */
export async function withPgBoss<Figures>(
  schema: Schema,
  measure: (boss: PgBoss) => Promise<Figures>,
): Promise<Figures> {
  const boss = new PgBoss({
    connectionString: schema.url,
    schema: schema.name,
    max: 10,
    schedule: false,
    supervise: false,
    useListenNotify: true,
  });
  boss.on("error", (cause) => process.stderr.write(`pg-boss: ${cause.message}\n`));
  const stop = opened(() => boss.stop({ graceful: false }));
  await boss.start();
  const figures = await measure(boss);
  await stop();
  return figures;
}

/** From `send` to the handler of an idle worker that NOTIFY wakes. */
export async function measureWake(boss: PgBoss): Promise<{ medianMs: number; p99Ms: number }> {
  const done = new Doorbell();
  await boss.createQueue("wake", { notify: true });
  await boss.work<Work>("wake", { ...POLLING, batchSize: 1 }, async (jobs) => done.ring(jobs));
  await sleep(SETTLE_MS);
  const latencies: number[] = [];
  while (latencies.length < SERIAL) {
    const startedAt = performance.now();
    await done.wait(async (key) => await boss.send("wake", { key }));
    latencies.push(performance.now() - startedAt);
    // The worker goes to sleep first: a job that comes while it still fetches needs no signal.
    await sleep(5);
  }
  await boss.offWork("wake");
  return { medianMs: median(latencies), p99Ms: quantile(latencies, 0.99) };
}

/** Jobs a second from `send` to `complete`, in batches by a loop that always looks: faster than `work()` is. */
export async function measureThroughput(boss: PgBoss): Promise<number> {
  const done = new Doorbell();
  await boss.createQueue("throughput");
  const end = new AbortController();
  const loop = async () => {
    while (!end.signal.aborted) {
      const jobs = await boss.fetch<Work>("throughput", { batchSize: IN_FLIGHT });
      const ids = jobs.map(({ id }) => id);
      if (ids.length === 0) await sleep(LOOK_MS);
      else await boss.complete("throughput", ids);
      done.ring(jobs);
    }
  };
  const loops = [loop(), loop()];
  const perSecond = await manyAtOnce(IN_FLIGHT, async () => {
    await done.wait(async (key) => await boss.send("throughput", { key }));
    return 1;
  });
  end.abort();
  await Promise.all(loops);
  return perSecond;
}

/** Jobs stored a second: one at a time, and many in a statement. */
export async function measureInserts(boss: PgBoss): Promise<{ small: number; big: number }> {
  await boss.createQueue("inserts");
  const jobs = Array.from({ length: JOBS_AN_INSERT }, (_, index) => ({ data: { key: String(index) } }));
  const send = async () => {
    await boss.send("inserts", { key: "0" });
    return 1;
  };
  const insert = async () => {
    await boss.insert("inserts", jobs);
    return jobs.length;
  };
  return { small: await manyAtOnce(SENDERS, send), big: await manyAtOnce(INSERTERS, insert) };
}

/** How late jobs are that were sent for a time to come, so many spread over `spreadMs`. */
export async function measureDelays(
  boss: PgBoss,
  delayed: { jobs: number; leadMs: number; spreadMs: number },
): Promise<number[]> {
  const lateness: number[] = [];
  const all = Promise.withResolvers<void>();
  await boss.createQueue("delays");
  await boss.work<{ dueAt: number }>("delays", { ...POLLING, batchSize: 100 }, async (jobs) => {
    for (const { data } of jobs) lateness.push(Date.now() - data.dueAt);
    if (lateness.length >= delayed.jobs) all.resolve();
  });
  const firstAt = Date.now() + delayed.leadMs;
  for (let index = 0; index < delayed.jobs; index += 1) {
    const dueAt = firstAt + Math.round((index * delayed.spreadMs) / delayed.jobs);
    await boss.send("delays", { dueAt }, { startAfter: new Date(dueAt) });
  }
  await all.promise;
  await boss.offWork("delays");
  return lateness;
}

async function manyAtOnce(count: number, work: () => Promise<number>): Promise<number> {
  let made = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (performance.now() - startedAt < MS) {
        const more = await work();
        made += more;
      }
    }),
  );
  return made / ((performance.now() - startedAt) / 1000);
}

/** Tells the sender of a job that it was worked on. */
class Doorbell {
  readonly #waiting = new Map<string, () => void>();
  #last = 0;

  async wait(send: (key: string) => Promise<unknown>): Promise<void> {
    this.#last += 1;
    const key = String(this.#last);
    const rung = new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    await send(key);
    await rung;
  }

  ring(jobs: readonly Job<Work>[]): void {
    for (const { data } of jobs) {
      this.#waiting.get(data.key)?.();
      this.#waiting.delete(data.key);
    }
  }
}
