// Runs through the service: how long one takes from submission to its last event read, and how many a second.

import { startServer } from "../scripts/served-process.ts";
import { type Job, startBenchService } from "./bench-service.ts";
import { LoadClient } from "./http-client.ts";
import { median, quantile } from "./statistics.ts";

export const WARM_UP_MS = 2_000;
const SERIAL = 400;
const SERIAL_MS = 6_000;
export const PARALLEL_MS = 6_000;
const CLIENTS = 32;

export type RunFigures = {
  /** Milliseconds from the submission to the terminal event read by long poll. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Of all clients together. */
  readonly runsPerSecond: number;
};

export type Target = Pick<Job, "client" | "agentId">;

/**
 * The service with backend `noop`, in one process, or in `pairs` API nodes and as many workers. The clients share
 * `jobs` jobs: as many owners, who each pay from a balance of their own.
 */
export async function measureRuns(
  options: { databaseUrl?: string; pairs?: number; jobs?: number } = {},
): Promise<RunFigures> {
  const service = await startBenchService(options);
  const figures = await measure(service.jobs);
  await service.stop();
  return figures;
}

/** The same requests to a server that does nothing. */
export async function measureBareRuns(): Promise<RunFigures> {
  return await onBareServer(({ target }) => measure([target]));
}

/** Measures on a server that does nothing. */
export async function onBareServer<Figures>(
  measureOn: (server: { target: Target; pid: number }) => Promise<Figures>,
): Promise<Figures> {
  const server = await startServer({ args: ["bench/bare-server.cjs"] });
  const client = new LoadClient({ baseUrl: server.url, bearer: "none" });
  const figures = await measureOn({ target: { client, agentId: "agent" }, pid: server.pid });
  client.close();
  await server.stop();
  return figures;
}

async function measure(targets: readonly Target[]): Promise<RunFigures> {
  await runMany(targets, WARM_UP_MS);
  const latencies: number[] = [];
  for (const until = performance.now() + SERIAL_MS; latencies.length < SERIAL; ) {
    const startedAt = performance.now();
    if (startedAt > until) break;
    await runOnce(targets[latencies.length % targets.length]);
    latencies.push(performance.now() - startedAt);
  }
  return {
    medianMs: median(latencies),
    p99Ms: quantile(latencies, 0.99),
    runsPerSecond: (await runMany(targets, PARALLEL_MS)).runsPerSecond,
  };
}

/** All clients at once for so long. */
export async function runMany(
  targets: readonly Target[],
  ms: number,
): Promise<{ runs: number; runsPerSecond: number }> {
  let ended = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      while (performance.now() - startedAt < ms) {
        await runOnce(targets[index % targets.length]);
        ended += 1;
      }
    }),
  );
  return { runs: ended, runsPerSecond: ended / ((performance.now() - startedAt) / 1000) };
}

/** Submits a run and reads its events until they are done. */
async function runOnce(target: Target | undefined): Promise<void> {
  if (target === undefined) throw new RangeError("There has to be a job.");
  const { client, agentId } = target;
  const submitted = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Hello" });
  const { run_id: runId } = JSON.parse(submitted.body);
  for (let after = 0; ; ) {
    const page = JSON.parse((await client.send("GET", `/v1/ci/runs/${runId}?wait=20&after=${after}`)).body);
    if (page.done === true) return;
    if (page.next === undefined) throw new Error(`The service answered ${JSON.stringify(page)}`);
    after = page.next;
  }
}
