// Many nodes on one PostgreSQL: what a run costs nodes and database at the same rate with more of them, how long a poll on another node
// takes than the one that took the run, and how long accounts with few runs wait beside one that has queued thousands.

import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs, type ServedProcess } from "../scripts/served-process.ts";
import { type BenchService, type Job, startBenchService } from "./bench-service.ts";
import { postgresProbe } from "./capacity/store-probe.ts";
import { LoadClient } from "./http-client.ts";
import type { Schema } from "./postgres-schema.ts";
import { median, quantile } from "./statistics.ts";

const OWNERS = 8;
export const RUNS_A_SECOND = 40;
const MEASURED_MS = 10_000;
const WARM_UP_MS = 3_000;
const AT_ONCE = 32;
export const QUEUED_BY_ONE = 5_000;
export const OTHERS = 50;
export const QUEUED_BY_OTHERS = 10;

export type NodesFigures = {
  /** Milliseconds of CPU for a run: of all nodes, and of the database. Null where the system does not tell. */
  readonly nodesCpuMs: number | null;
  readonly databaseCpuMs: number;
  /** Milliseconds from the submission to the terminal event read by long poll on another node, where there is one. */
  readonly medianMs: number;
  readonly p99Ms: number;
};

/** Of `pairs` nodes that answer requests and as many that execute runs, at `RUNS_A_SECOND` in all. */
export async function measureNodes(schema: Schema, pairs: number): Promise<NodesFigures> {
  const service = await startBenchService({ databaseUrl: schema.url, pairs, jobs: Math.max(pairs, OWNERS) });
  const probe = await postgresProbe(schema.url);
  const pids = [...processesOf(service)].map(({ pid }) => pid);
  await submitAtRate(service.jobs, WARM_UP_MS);
  const before = { nodes: totalCpu(pids), database: (await probe.now()).cpuMs };
  const latencies = await submitAtRate(service.jobs, MEASURED_MS);
  const after = { nodes: totalCpu(pids), database: (await probe.now()).cpuMs };
  await service.stop();
  const runs = latencies.length;
  const isTold = before.nodes !== null && after.nodes !== null;
  return {
    nodesCpuMs: isTold ? ((after.nodes ?? 0) - (before.nodes ?? 0)) / runs : null,
    databaseCpuMs: (after.database - before.database) / runs,
    medianMs: median(latencies),
    p99Ms: quantile(latencies, 0.99),
  };
}

export type FairnessFigures = {
  /** Seconds from the start of the worker: until the last run of each other account had ended, their median and longest. */
  readonly othersMedianS: number;
  readonly othersLongestS: number;
  /** Until the last of all runs had ended. */
  readonly allS: number;
};

/** One account has queued `QUEUED_BY_ONE` runs, and then each of `OTHERS` accounts `QUEUED_BY_OTHERS`; then a worker starts. */
export async function measureFairness(schema: Schema): Promise<FairnessFigures> {
  const service = await startBenchService({ databaseUrl: schema.url, pairs: 1, jobs: OTHERS + 1 });
  await service.workers[0].stop();
  const [one, ...others] = service.jobs;
  const last = await submitMany(one, QUEUED_BY_ONE);
  const lastOfOthers: { readonly job: Job; readonly runId: string }[] = [];
  for (const job of others) lastOfOthers.push({ job, runId: await submitMany(job, QUEUED_BY_OTHERS) });
  await service.startWorker("again");
  const startedAt = performance.now();
  const ended = async (job: Job, runId: string) => {
    await readToEnd(job.client, runId);
    return (performance.now() - startedAt) / 1000;
  };
  const all = ended(one, last);
  const seconds = await Promise.all(lastOfOthers.map(({ job, runId }) => ended(job, runId)));
  const figures = {
    othersMedianS: median(seconds),
    othersLongestS: Math.max(...seconds),
    allS: await all,
  };
  await service.stop();
  return figures;
}

function processesOf({ jobs, workers }: BenchService): ReadonlySet<ServedProcess> {
  return new Set([...jobs.map(({ api }) => api), ...workers]);
}

function totalCpu(pids: readonly number[]): number | null {
  const all = pids.map(cpuMs);
  return all.includes(null) ? null : all.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
}

/** Runs of all jobs in turn, each followed on the node after the one that took it. Returns how long each took. */
async function submitAtRate(jobs: readonly Job[], ms: number): Promise<number[]> {
  const apis = [...new Set(jobs.map(({ api }) => api))];
  const followers = jobs.map(({ api, bearer }) => {
    const other = apis[(apis.indexOf(api) + 1) % apis.length] ?? api;
    return new LoadClient({ baseUrl: other.url, bearer });
  });
  const open: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let count = 0; ; count += 1) {
    const dueMs = (count * 1000) / RUNS_A_SECOND;
    if (dueMs >= ms) break;
    await sleep(Math.max(0, startedAt + dueMs - performance.now()));
    const job = jobs[count % jobs.length];
    const follower = followers[count % jobs.length];
    if (job === undefined || follower === undefined) continue;
    open.push(
      (async () => {
        const submittedAt = performance.now();
        await readToEnd(follower, await submit(job));
        return performance.now() - submittedAt;
      })(),
    );
  }
  const latencies = await Promise.all(open);
  for (const follower of followers) follower.close();
  return latencies;
}

async function submitMany(job: Job, count: number): Promise<string> {
  let left = count;
  let last = "";
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, count) }, async () => {
      while (left > 0) {
        left -= 1;
        const runId = await submit(job);
        if (runId > last) last = runId;
      }
    }),
  );
  return last;
}

async function submit({ client, agentId }: Job): Promise<string> {
  const { status, body } = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Hello" });
  const { run_id: runId } = JSON.parse(body);
  if (typeof runId !== "string") throw new Error(`The submission answered ${status}: ${body}`);
  return runId;
}

async function readToEnd(client: LoadClient, runId: string): Promise<void> {
  for (let after = 0; ; ) {
    const page = JSON.parse((await client.send("GET", `/v1/ci/runs/${runId}?wait=20&after=${after}`)).body);
    if (page.done === true) return;
    if (page.next === undefined) throw new Error(`The service answered ${JSON.stringify(page)}`);
    after = page.next;
  }
}
