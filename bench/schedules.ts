// Schedules: how late one is fired, when many come due in a short time.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { opened } from "../scripts/opened.ts";
import { startServer } from "../scripts/served-process.ts";
import { scheduleListSchema } from "../src/contract/schedules/schedule.ts";
import { LoadClient } from "./http-client.ts";
import { makeOwnerKey } from "./owner-key.ts";
import { median, quantile } from "./statistics.ts";

/** So many, due over so long. */
export const SCHEDULES = 200;
export const SPREAD_MS = 5_000;
/** Until the first is due: all of them are made by then. */
export const LEAD_MS = 2_000;

export type LatenessFigures = {
  /** Milliseconds from `fire_at` to the run's submission. */
  readonly medianMs: number;
  readonly p99Ms: number;
};

/** The service on the embedded store, or on the database at `databaseUrl`; backend `noop`. */
export async function measureLateness(databaseUrl?: string): Promise<LatenessFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const env = {
    BACKEND: "noop",
    DATA_DIR: folder,
    DRAIN_SECONDS: "0",
    ADDRESS_RATE_PER_MINUTE: "10000000",
    RATE_PER_MINUTE: "10000000",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const bearer = await makeOwnerKey(env);
  const server = await startServer({ args: ["npm/cli.mjs", "serve", "--port", "0"], env });
  const client = new LoadClient({ baseUrl: server.url, bearer });
  const lateness = await scheduleAll(client);
  client.close();
  await server.stop();
  await removeFolder();
  return { medianMs: median(lateness), p99Ms: quantile(lateness, 0.99) };
}

/** Makes the schedules, and waits until each has been fired. Returns how late each was. */
async function scheduleAll(client: LoadClient): Promise<number[]> {
  const agent = JSON.parse((await client.send("POST", "/v1/agents", { name: "bench" })).body);
  const path = `/v1/agents/${agent.id}/schedules`;
  const firstAt = Date.now() + LEAD_MS;
  await Promise.all(
    Array.from({ length: SCHEDULES }, async (_, index) => {
      const fireAt = new Date(firstAt + Math.round((index * SPREAD_MS) / SCHEDULES)).toISOString();
      const { status, body } = await client.send("POST", path, { prompt: "Hello", fire_at: fireAt });
      if (status !== 201) throw new Error(`The schedule was refused: ${body}`);
    }),
  );
  await setTimeout(firstAt + SPREAD_MS - Date.now());
  for (;;) {
    const schedules = scheduleListSchema.parse(JSON.parse((await client.send("GET", path)).body));
    const lateness = schedules.flatMap((schedule) =>
      schedule.status === "dispatched" || schedule.status === "done"
        ? [Date.parse(schedule.last_fired_at) - Date.parse(schedule.fire_at)]
        : [],
    );
    if (lateness.length === SCHEDULES) return lateness;
    if (schedules.some(({ status }) => status === "failed")) throw new Error("A schedule failed.");
    await setTimeout(100);
  }
}
