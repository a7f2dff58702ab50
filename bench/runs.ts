// Runs through the service: how long one takes from submission to its last event read, and how many a second.

import type { LoadClient } from "./http-client.ts";
import { LoadClient as Client } from "./http-client.ts";
import { startBenchService, startServer } from "./served-process.ts";
import { median } from "./statistics.ts";

const WARM_UP = 300;
const SERIAL = 400;
const PARALLEL = 4_000;
const CLIENTS = 32;

export type RunFigures = {
  /** Median milliseconds from the submission to the terminal event read by long poll. */
  readonly latencyMs: number;
  readonly runsPerSecond: number;
};

type Target = { readonly client: LoadClient; readonly agentId: string };

/** The service, embedded store, backend `noop`. */
export async function measureRuns(): Promise<RunFigures> {
  const service = await startBenchService();
  const figures = await measure(service);
  await service.stop();
  return figures;
}

/** The same requests to a server that does nothing. */
export async function measureBareRuns(): Promise<RunFigures> {
  const server = await startServer({ args: ["bench/bare-server.cjs"] });
  const client = new Client({ baseUrl: server.url, bearer: "none" });
  const figures = await measure({ client, agentId: "agent" });
  client.close();
  await server.stop();
  return figures;
}

async function measure(target: Target): Promise<RunFigures> {
  for (let count = 0; count < WARM_UP; count += 1) await runOnce(target);
  const latencies: number[] = [];
  for (let count = 0; count < SERIAL; count += 1) {
    const startedAt = performance.now();
    await runOnce(target);
    latencies.push(performance.now() - startedAt);
  }
  let left = PARALLEL;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left > 0) {
        left -= 1;
        await runOnce(target);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { latencyMs: median(latencies), runsPerSecond: PARALLEL / seconds };
}

/** Submits a run and reads its events until they are done. */
async function runOnce({ client, agentId }: Target): Promise<void> {
  const submitted = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Hello" });
  const { run_id: runId } = JSON.parse(submitted.body);
  for (let after = 0; ; ) {
    const page = JSON.parse((await client.send("GET", `/v1/ci/runs/${runId}?wait=20&after=${after}`)).body);
    if (page.done === true) return;
    if (page.next === undefined) throw new Error(`The service answered ${JSON.stringify(page)}`);
    after = page.next;
  }
}
